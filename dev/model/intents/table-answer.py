# Last part: the figures, and one printed line: STRIDE_RESULT and JSON.
def statistic(verb, values, places):
    if verb == 'count':
        return str(len(values))
    if verb == 'distinct':
        return str(len(set(values)))
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    result = {'sum': lambda: sum(ordered), 'mean': lambda: Fraction(sum(ordered)) / len(ordered), 'max': lambda: ordered[-1],
              'min': lambda: ordered[0],
              'median': lambda: ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2}[verb]()
    return plain(Fraction(result), places)


def collect(table, asked):
    """(group, value) of each row that counts, and how many cells were left out."""
    names = [condition['name'] for condition in asked['filters']] + [n for n in (asked['group'], asked['picked']) if n]
    for name in names:
        if name not in table['names']:
            fail('column_missing', column=name, path=table['path'])
    keep = [True] * len(table['rows'])
    for condition in asked['filters']:
        raw = cells(table, condition['name'])
        parsed = numbers(raw, table['delimiter'])
        keep = [k and keeps(value, condition, number) for k, value, number in zip(keep, raw, parsed)]
    key = asked['group'] or asked['picked']
    keys = cells(table, key) if key else [''] * len(keep)
    raw = cells(table, asked['column']) if asked['column'] else ['row'] * len(keep)
    textual = (asked.get('inner') or asked['verb']) in ('count', 'distinct')
    parsed = raw if textual else numbers(raw, table['delimiter'])
    out, missing, odd = [], 0, []
    for kept, group, value, text in zip(keep, keys, parsed, raw):
        if not kept:
            continue
        if text.casefold() in MISSING:
            missing += 1
        elif text.startswith('(no stored value'):
            fail('uncomputed', path=table['path'], column=asked['column'], example=text[:80])
        elif value is None:
            odd.append(text)
        else:
            out.append((group, value))
    return out, {'path': table['path'], 'rows': len(keep), 'kept': sum(keep), 'used': len(out), 'missing': missing,
                 'not_numbers': len(odd), 'example': odd[0][:40] if odd else None, 'total_row': table['total_row']}


def by_group(pairs):
    groups = {}
    for group, value in pairs:
        groups.setdefault(group or '(empty)', []).append(value)
    if len(groups) > 500:
        fail('too_many', words=str(len(groups)))
    return dict(sorted(groups.items()))


def answer_of(asked, pairs):
    if asked['picked']:
        groups = by_group(pairs)
        inner = asked['inner'] or asked['verb']
        scores = {g: Fraction(statistic(inner, v, None) if inner == 'count' else Fraction(sum(v)) if inner == 'sum' else
                              Fraction(sum(v)) / len(v) if inner == 'mean' else Fraction(Decimal(statistic(inner, v, 12)))) for g, v in groups.items()}
        edge = (max if asked['verb'] == 'max' else min)(scores.values())
        return ', '.join(g for g, score in scores.items() if score == edge)
    if asked['group']:
        return ', '.join(f'{g}: {statistic(asked["verb"], v, asked["places"])}' for g, v in by_group(pairs).items())
    return statistic(asked['verb'], [value for _, value in pairs], asked['places'])


def choose_files():
    """The files that the question names, else all; and the places where it names them."""
    spans, named = [], set()
    forms = {form: path for path in [*BOOKS.values(), *FILES] for form in (norm(os.path.basename(path)), norm(path))}
    for form in sorted(forms, key=len, reverse=True):
        for start, end in occurrences(form, Q):
            if all(end <= s or start >= e for s, e in spans):
                spans.append((start, end))
                named.add(forms[form])
    exact = [path for path in FILES if path in named]
    return exact or [path for path in FILES if BOOKS.get(path) in named] or list(FILES), spans


def refuse_twins(tables, names):
    """Of two columns of one name neither is taken: which is meant only their owner knows."""
    for table in tables:
        for name in names:
            places = [at + 1 for at, other in enumerate(table['names']) if other == name]
            if name and len(places) > 1:
                fail('same_name', path=table['path'], column=table['header'][places[0] - 1], places=places)


def main():
    chosen, _ = choose_files()
    tables = [load(path) for path in chosen]
    asked = understand(tables)
    check_left(asked['left'], tables)
    headers = {name: label for t in tables for name, label in zip(t['names'], t['header'])}
    if asked['column'] is None and (asked.get('inner') or asked['verb']) != 'count':
        only = [n for n in headers if is_numeric(n, tables)]
        rest = set(re.findall(r'\w+', asked['left'].replace('\0', ' '))) - PLAIN_WORDS - HARMLESS
        if len(only) != 1 or rest or re.search(COLUMN, asked['left']):
            fail('no_column', columns=list(headers.values())[:40])
        asked['column'] = only[0]
    having = [t for t in tables if asked['column'] is None or asked['column'] in t['names']]
    refuse_twins(having, [asked['column'], asked['group'], asked['picked'], *(c['name'] for c in asked['filters'])])
    pairs, files = [], []
    for table in having:
        found, summary = collect(table, asked)
        pairs += found
        files.append(summary)
    label = headers.get(asked['column'], None)
    if not pairs and asked['verb'] not in ('count', 'distinct'):
        no_row = not any(f['kept'] for f in files)
        fail('no_row' if no_row else 'no_number', column=label, example=next((f['example'] for f in files if f['example']), None))
    report({
        'ok': True, 'answer': answer_of(asked, pairs), 'verb': asked['verb'], 'inner': asked.get('inner'), 'column': label,
        'group': headers.get(asked['group'] or asked['picked']), 'picked': bool(asked['picked']), 'files': files,
        'without': [t['path'] for t in tables if t not in having],
        'where': [f"{headers[c['name']]} {c['op']} {c['value']}" for c in asked['filters']]})


Q = norm(QUESTION)
FILE_SPANS = choose_files()[1]
try:
    main()
except Unclear as unclear:
    report(unclear.args[0])
