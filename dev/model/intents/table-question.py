# Second part: what the question asks of which column. What the program does not understand it says;
# it never guesses.
def find_mentions(names, text):
    found = []
    for name in dict.fromkeys(names):
        short = re.sub(r'\s*[(\[].*[)\]]$', '', name)
        forms = [(name, 'exact'), (short, 'short'), (name + 's', 'plural'), (name[:-1] if name.endswith('s') else '', 'singular')]
        for form, kind in forms:
            if form and (kind == 'exact' or len(form) > 2):
                found += [{'name': name, 'start': s, 'end': e, 'kind': kind} for s, e in occurrences(form, text)]
    found.sort(key=lambda m: (m['start'] - m['end'], m['kind'] != 'exact', m['start']))
    kept = []
    for mention in found:
        if all(mention['end'] <= other['start'] or mention['start'] >= other['end'] for other in kept):
            kept.append(mention)
    for mention in kept:
        before, after = text[:mention['start']], text[mention['end']:]
        quoted = before[-1:] in ('"', "'", '\u300a') and after[:1] in ('"', "'", '\u300b')
        mention['before'] = before[:-1] if quoted else before
        mention['after'] = after[1:] if quoted else after
        column = re.match(r'\s*(?:这一?|该)?' + COLUMN + r'(?![a-z])', mention['after'])
        mention['after_column'] = mention['after'][column.end():] if column else mention['after']
        mention['support'] = (
            (8 if quoted else 0)
            + (6 if column or re.search(COLUMN + r'\s*(?:called|named|:|叫|为)?\s*(?:the\s+)?$', mention['before']) else 0)
            + (4 if re.search(r'\bof (?:the |all )?$', mention['before']) or re.match(r'\s*的', mention['after_column']) else 0))
        mention['plain'] = all(word in PLAIN_WORDS for word in mention['name'].split(' '))
    return sorted(kept, key=lambda m: m['start'])


GROUP = (r'(?:\bper-|\bper|\bby|\bfor each|\bfor every|\bin each|\bof each|\beach|\bevery|\bgrouped by|\bwithin each)(?: the| of the)?\s*$'
         r'|(?:按照|按|根据|每一个|每个|每|各个|各)\s*$')
OPERATORS = [
    ('!=', r'(?:is not|are not|isn\'t|was not|not equal to|!=|<>|≠|不等于|不是|不为)'),
    ('>=', r'(?:(?:is |are )?(?:at least|not less than)|>=|≥|大于等于|不小于|至少)'),
    ('<=', r'(?:(?:is |are )?(?:at most|not more than)|<=|≤|小于等于|不大于|至多)'),
    ('>', r'(?:(?:is |are |was )?(?:greater|more|larger|higher|bigger) than|(?:is |are )?(?:above|over)|>|大于|超过|高于|多于)'),
    ('<', r'(?:(?:is |are |was )?(?:less|smaller|lower|fewer) than|(?:is |are )?(?:below|under)|<|小于|低于|少于)'),
    ('=', r'(?:(?:is equal to|equal to|equals|is|are|was|were)(?![a-z])|==|=|:|等于|为|是)'),
]


def value_in(text, values):
    """The longest known value that the text begins with, and where it ends."""
    lead = re.match(r'[\s"\']*', text).end()
    best = None
    for value in values:
        # Cheap first look: normalising each of many thousand cells would take seconds.
        if value[0].isascii() and not text.startswith(value[0].lower(), lead) and not value[0].isspace():
            continue
        name = norm(value)
        if name and text.startswith(name, lead) and (best is None or len(name) > len(best[0])):
            end = lead + len(name)
            if end == len(text) or not (wordish(text[end]) and wordish(name[-1])):
                best = (name, end)
    return best


def read_filter(mention, tables):
    """A condition that stands right after (or, as a value, right before) the mention, or None."""
    values = {v for t in tables for v in (cells(t, mention['name']) or []) if v}
    clause = re.search(r'\b(?:where|when|whose|with|and|if|having)\s+(?:the\s+)?$|(?:其中|当|并且|且|满足)\s*$', mention['before'])
    offset = len(Q) - len(mention['after_column'])
    for sign, pattern in OPERATORS:
        operator = re.match(r'\s*' + pattern, mention['after_column'])
        if not operator:
            continue
        rest = mention['after_column'][operator.end():]
        number = re.match(r'\s*([-+]?[\d,]*\.?\d+)(?![0-9a-z])', rest)
        known = value_in(rest, values)
        if sign in ('>', '<', '>=', '<=') and number:
            return {'op': sign, 'value': number[1].replace(',', ''), 'end': offset + operator.end() + number.end()}
        if sign in ('=', '!=') and known:
            return {'op': sign, 'value': known[0], 'end': offset + operator.end() + known[1]}
        if clause and sign in ('=', '!='):
            word = re.match(r'\s*["\']?([^"\',?.!;，。？；]+?)["\']?(?=$|[,?.!;，。？；]| and |的|时)', rest)
            if word:
                return {'op': sign, 'value': word[1].strip(), 'end': offset + operator.end() + word.end()}
        return None
    known = value_in(mention['after_column'], values) if re.search(r'\b(?:for|in|where|with|and|of)\s+(?:the\s+)?$', mention['before']) else None
    if known and not known[0].isdigit():
        return {'op': '=', 'value': known[0], 'end': offset + known[1]}
    for value in values:
        name = norm(value)
        before = mention['before'].rstrip(' "\'')
        lead = before[:-len(name)]
        if len(name) > 1 and before.endswith(name) and (
                re.search(r'\b(?:for|in|of|from)\s+(?:the\s+)?["\']?$', lead) or not wordish(name[-1]) and not wordish(lead[-1:] or ' ')):
            return {'op': '=', 'value': name, 'start': len(before) - len(name), 'end': mention['end']}
    return None


def implicit_filter(text, tables):
    """`for North`, where North stands in exactly one column."""
    for lead in re.finditer(r'\b(?:for|in|from)\s+(?:the\s+)?["\']?|只看|仅', text):
        hits = {}
        for name in dict.fromkeys(n for t in tables for n in t['names']):
            values = {v for t in tables for v in (cells(t, name) or []) if v}
            known = value_in(text[lead.end():], values)
            if known and len(known[0]) > 1 and known[0] not in HARMLESS:
                hits[name] = known
        if len(hits) == 1:
            name, known = next(iter(hits.items()))
            return {'name': name, 'op': '=', 'value': known[0], 'start': lead.start(), 'end': lead.end() + known[1]}
    return None


def keeps(row_value, condition, number):
    if condition['op'] in ('=', '!='):
        wanted = to_number(condition['value'], False)
        same = norm(row_value) == condition['value'] or (wanted is not None and number == wanted)
        return same == (condition['op'] == '=')
    if not isinstance(number, Fraction):
        return False
    limit = Fraction(Decimal(condition['value']))
    return {'>': number > limit, '<': number < limit, '>=': number >= limit, '<=': number <= limit}[condition['op']]


def is_numeric(name, tables):
    seen = [n for t in tables for n in numbers((cells(t, name) or [])[:1000], t['delimiter']) if n != '']
    return bool(seen) and sum(n is not None for n in seen) * 2 >= len(seen)


def read_places(text):
    """`rounded to two decimals`, `to the nearest whole number`, 保留两位小数."""
    words = {'no': 0, 'zero': 0, 'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6,
             '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6}
    match = (re.search(r'\b(?:round(?:ed)?\b[^.?]*?\bto|with|to)\s+(\d+|no|zero|one|two|three|four|five|six) decimals?(?: places?| digits?)?', text)
             or re.search(r'保留\s*(\d+|[一二两三四五六])\s*位小数', text))
    if match:
        return words[match[1]] if match[1] in words else int(match[1]), match.span()
    match = re.search(r'\b(?:round(?:ed)?\s+)?to the nearest (?:integer|whole number|unit)|四舍五入到整数|取整', text)
    return (0, match.span()) if match else (None, None)


def understand(tables):
    """What is asked: verb, column, group, conditions; fails where the question is not clear."""
    names = [name for table in tables for name in table['names']]
    text = Q
    places, span = read_places(text)
    mentions = find_mentions(names, blank(text, FILE_SPANS))
    used = list(FILE_SPANS) + ([span] if span else [])
    filters, group, picked, rest = [], None, None, []
    for mention in mentions:
        condition = None if mention['plain'] and not mention['support'] else read_filter(mention, tables)
        if condition:
            filters.append({'name': mention['name'], **condition})
            used.append((condition.get('start', mention['start']), condition['end']))
        elif re.search(GROUP, mention['before']) and not (mention['plain'] and mention['support'] < 6):
            group = group or mention['name']
            used.append((len(mention['before']), mention['end']))
        elif not mention['plain'] and (re.search(r'\b(?:which|what)\s+$|哪个\s*$|哪一个?\s*$', mention['before'])
                                       or re.match(r'\s*是?哪', mention['after_column'])):
            picked = mention['name']
            used.append((mention['start'], mention['end']))
        else:
            rest.append(mention)
    implied = None if filters else implicit_filter(blank(text, used + [(m['start'], m['end']) for m in rest]), tables)
    if implied:
        filters.append(implied)
        used.append((implied['start'], implied['end']))
    aim = choose_column(rest, tables)
    for mention in rest:
        # Named twice, a column called 最大值 or "total" may be the verb the second time.
        if mention is aim or not (mention['plain'] or any(re.search(pattern, mention['name']) for _, pattern in VERBS)):
            used.append((mention['start'], mention['end']))
        # A column whose part in the question is not clear must not be passed over.
        if not mention['plain'] and (aim is None or mention['name'] != aim['name']):
            fail('condition', words=Q[mention['start']:mention['end']])
    left = blank(text, used)
    return {'column': aim and aim['name'], 'kind': aim and aim['kind'], 'group': group, 'picked': picked, 'filters': filters,
            'places': places, 'left': left, **read_verb(left, aim, picked, group, tables)}


def choose_column(rest, tables):
    verb = '(?:' + '|'.join(pattern for _, pattern in VERBS) + r')\s*(?:of )?(?:the )?$'
    ranked = []
    for mention in rest:
        score = mention['support'] + (3 if re.search(verb, mention['before']) else 0) - (0 if not mention['plain'] else 2 if ' ' in mention['name'] else 5)
        ranked.append((score + (2 if is_numeric(mention['name'], tables) else 0) + (1 if mention['kind'] == 'exact' else 0), mention))
    ranked = [(score, mention) for score, mention in ranked if not mention['plain'] or score > 1]
    if not ranked:
        return None
    ranked.sort(key=lambda pair: (-pair[0], pair[1]['start'] - pair[1]['end']))
    best = ranked[0][1]
    for _, other in ranked[1:]:
        first, second = sorted((best, other), key=lambda m: m['start'])
        if other['name'] != best['name'] and re.fullmatch(r'["\']?\s*(?:and|和|与|、|,|&)(?: the)?\s*["\']?', Q[first['end']:second['start']]):
            fail('several_columns', columns=[first['name'], second['name']])
    return best


def read_verb(left, aim, picked, group, tables):
    words = re.search(UNSUPPORTED, left)
    if words:
        fail('unsupported', words=words[0])
    hits = [name for name, pattern in VERBS if re.search(pattern, left)]
    if picked:
        extreme = next((name for name in ('max', 'min') if name in hits), None)
        rows = 'count' if re.search(r'\brows?\b|\brecords?\b|\bentries\b|行|记录', left) else None
        inner = next((name for name in hits if name in ('sum', 'mean', 'count', 'median')), rows)
        if extreme is None or (aim is None and inner != 'count'):
            fail('no_verb')
        return {'verb': extreme, 'inner': inner}
    verb = hits[0] if hits else ('sum' if group else None)
    if verb is None:
        fail('no_verb')
    if verb == 'count' and aim:
        if is_numeric(aim['name'], tables) and re.search(r'\bin total\b|\baltogether\b', left):
            verb = 'sum'
        elif aim['kind'] == 'plural' and not is_numeric(aim['name'], tables) and re.search(r'(?:how many|number of)\s*$', aim['before']):
            verb = 'distinct'
    return {'verb': verb}


def check_left(left, tables):
    """A condition that was not understood must not be dropped in silence."""
    stems = {norm(os.path.splitext(os.path.basename(t['path']))[0]) for t in tables}
    for match in re.finditer(r'\b(where|except|excluding|without|only|for|in|from|per|by|each|every)[\s-]+(?:(?:the|my|our|attached)\s+)*([^\s\0?.,!;:"\')]+)', left):
        if match[2] not in HARMLESS and match[2] not in stems:
            fail('condition', words=match[0].replace('\0', ' ').strip())
