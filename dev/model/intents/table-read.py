# First part of the program that the offline demo model sends to execute_python, below lines that set
# QUESTION (text), FILES (paths), SHEETS (path → CSV that parse_excel gave) and BOOKS (sheet → workbook):
# words, files, dialects, numbers. table-question.py follows.
import csv
import io
import json
import os
import re
import unicodedata
from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation, localcontext
from fractions import Fraction

MISSING = {'', 'n/a', 'na', 'nan', 'null', 'none', 'nil', '#n/a', '-', '--', '–', '—', '.', '?', '无', '空'}
VERBS = [
    ('distinct', r'\bdistinct\b|\bunique\b|\bdifferent\b|不同|去重|唯一|不重复|多少种|几种'),
    ('median', r'\bmedian\b|中位数|中值'),
    ('mean', r'\bmean\b|\baverage\b|\bavg\b|平均'),
    ('count', r'\bcount\b|\bhow many\b|\bnumber of\b|多少(?:行|条|个|笔|项)|几(?:行|条|个|笔|项)|计数|行数|个数|记录数'),
    ('sum', r'\btotals?\b|\bsum\b|\badd(?:ed)? (?:up|together)\b|\baltogether\b|\bhow much\b|总和|合计|总计|总额|总共|一共|共计|求和|之和|相加|加起来|汇总|总'),
    ('max', r'\bmax(?:imum)?\b|\blargest\b|\bhighest\b|\bbiggest\b|\bgreatest\b|\bmost\b|最大|最高|最多'),
    ('min', r'\bmin(?:imum)?\b|\bsmallest\b|\blowest\b|\bleast\b|最小|最低|最少'),
]
UNSUPPORTED = (r'standard deviation|\bvariance\b|\bcorrelat\w*|\bpercent\w*|\bratio\b|\bshare\b|\bdifference\b|\bgrowth\b'
               r'|\btrend\w*|\bregress\w*|\btop \d+|\bsecond\b|\bmode\b|标准差|方差|百分比|占比|比例|增长|众数|前\d+'
               r'|\b(?:times|minus|plus|divided|multiplied|squared|absolute)\b|\bthan\b|\bat (?:least|most)\b|\bbetween\b|\bbefore\b|\bafter\b'
               r'|\bsince\b|\buntil\b|[<>≥≤≠]|大于|小于|超过|低于|高于|少于|多于|以上|以下|之间|之前|之后|除了|不等于')
# A column may bear such a name, but alone such a word is rather part of the sentence.
PLAIN_WORDS = set('a an the of in is are what which how many much total totals sum mean average avg median count number max '
                  'min maximum minimum largest smallest highest lowest distinct unique value values column columns row rows '
                  'file files and or for from by per each all with where to on at it me this that there list show data '
                  '总 和 的 是 列 行 数 平均 最大 最小'.split())
HARMLESS = set('file files column columns table tables total all row rows data dataset csv tsv sheet spreadsheet attachment '
               'attachments attached attachement document both two these this that those it me us usd eur dollars euros each '
               'my our attached which row record order field fields values value the a an numbers records entries list given uploaded input'.split())
PLAIN_NUMBER = re.compile(r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?')
COLUMN = r'(?:columns?|fields?|列|栏|字段)'


class Unclear(Exception):
    """Ends the program with a reason. Not SystemExit: notebook kernels report that as an error."""


def fail(code, **more):
    raise Unclear({'ok': False, 'code': code, **more})


def report(result):
    print('STRIDE_RESULT ' + json.dumps(result))


def norm(text):
    text = unicodedata.normalize('NFKC', text).translate(str.maketrans('‘’“”「」『』`', '\'\'""""""\''))
    return re.sub(r'[\s_]+', ' ', text).strip().casefold()


def wordish(char):
    """Letters and digits of scripts that put spaces between words."""
    return char.isalnum() and not '\u2e80' <= char <= '\u9fff' and not '\uac00' <= char <= '\ud7af'


def occurrences(needle, text):
    start = text.find(needle) if needle else -1
    while start >= 0:
        end = start + len(needle)
        left = start == 0 or not (wordish(text[start - 1]) and wordish(needle[0]))
        right = end == len(text) or not (wordish(text[end]) and wordish(needle[-1]))
        if left and right:
            yield start, end
        start = text.find(needle, start + 1)


def blank(text, spans):
    for start, end in spans:
        text = text[:start] + '\0' * (end - start) + text[end:]
    return text


# ---- files: bytes, dialect, rows ----
def locate(path):
    for candidate in (path, os.path.basename(path)):
        if os.path.isfile(candidate):
            return candidate
    for folder, _, names in os.walk('.'):
        if os.path.basename(path) in names:
            return os.path.join(folder, os.path.basename(path))
    fail('no_file', path=path)


def read_text(path):
    if path in SHEETS:
        return SHEETS[path]
    with open(locate(path), 'rb') as file:
        raw = file.read()
    if raw[:2] in (b'\xff\xfe', b'\xfe\xff'):
        text = raw.decode('utf-16')
    else:
        for encoding in ('utf-8-sig', 'gb18030' if re.search('[\u4e00-\u9fff]', QUESTION) else 'cp1252', 'latin-1'):
            try:
                text = raw.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
    # Old Mac line ends only: the csv module would not see them.
    return text.replace('\r', '\n') if '\n' not in text else text


def parse(text, delimiter):
    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(io.StringIO(text, newline=''), delimiter=delimiter, skipinitialspace=True)
    return [row for row in rows if any(cell.strip() for cell in row)]


TOTAL_ROW = re.compile(r'(?:grand |sub)?totals?|sum|合计|总计|总和|小计')


def has_total_row(rows):
    """A last row that begins with "Total" repeats the rows above it and would count them twice."""
    first = next((cell for cell in rows[-1] if cell.strip()), '') if len(rows) > 1 else ''
    return TOTAL_ROW.fullmatch(norm(first).rstrip(' :：')) is not None


def load(path):
    """Header and rows by the delimiter that fits best: steady width first, then names in the question."""
    text, best = read_text(path), None
    for delimiter in ',' if path in SHEETS else ',;\t|':
        rows = parse(text, delimiter)
        if not rows:
            fail('empty_file', path=path)
        usual = Counter(map(len, rows)).most_common(1)[0][0]
        first = 0 if len(rows[0]) > 1 or usual == 1 else next(i for i, row in enumerate(rows) if len(row) == usual)
        header, body = [cell.strip() for cell in rows[first]], rows[first + 1:]
        width = len(header)
        steady = sum(width <= len(row) <= width + 1 for row in body) / max(1, len(body))
        named = max((end - start for name in header for start, end in occurrences(norm(name), Q)), default=0)
        score = (steady >= 0.5, width > 1 or named > 0, named, steady, width)
        if best is None or score > best[0]:
            best = (score, delimiter, header, body)
    _, delimiter, header, body = best
    total_row = has_total_row(body)
    return {'path': path, 'delimiter': delimiter, 'header': header, 'names': [norm(name) for name in header],
            'rows': body[:-1] if total_row else body, 'total_row': total_row}


def cells(table, name):
    """The column's cells, or None when the file has no such column."""
    if name not in table['names']:
        return None
    at = table['names'].index(name)
    return [row[at].strip() if at < len(row) else '' for row in table['rows']]


# ---- numbers ----
def tidy(cell):
    """Currency, percent sign, accounting brackets and spaces between digit groups removed."""
    if cell.isascii() and PLAIN_NUMBER.fullmatch(cell):
        return cell
    text = unicodedata.normalize('NFKC', cell).strip().replace('−', '-')
    if re.fullmatch(r'\(.*\d.*\)', text):
        text = '-' + text[1:-1]
    text = re.sub(r'^([-+]?)\s*(?:US\$|[$€£¥₹元]|USD|EUR|GBP|CNY|RMB)\s*([-+]?)', r'\1\2', text, flags=re.I)
    text = re.sub(r'\s*(?:[$€£¥₹元%]|USD|EUR|GBP|CNY|RMB)$', '', text, flags=re.I)
    return re.sub(r"(?<=\d)[ '\u2019](?=\d{3}(?!\d))", '', text)


def comma_is_decimal(texts, delimiter):
    """Decided for the whole column: an unambiguous cell decides, else the delimiter does."""
    for text in texts:
        if re.fullmatch(r'[-+]?\d{1,3}(?:,\d{3})+\.\d*|[-+]?\d{1,3}(?:,\d{3}){2,}|[-+]?0*\d+\.\d+', text) and ',' in text:
            return False
        if re.fullmatch(r'[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+', text) and not re.fullmatch(r'[-+]?[1-9]\d{0,2},\d{3}', text):
            return True
    return delimiter == ';'


def to_number(text, decimal_comma):
    if decimal_comma and ',' in text:
        if not re.fullmatch(r'[-+]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+', text):
            return None
        text = text.replace('.', '').replace(',', '.')
    elif decimal_comma and re.fullmatch(r'[-+]?\d{1,3}(?:\.\d{3}){2,}', text):
        text = text.replace('.', '')
    elif ',' in text:
        if not re.fullmatch(r'[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?', text):
            return None
        text = text.replace(',', '')
    if not PLAIN_NUMBER.fullmatch(text):
        return None
    try:
        return Fraction(Decimal(text))
    except InvalidOperation:
        return None


def numbers(values, delimiter):
    """One entry a cell: a Fraction, '' for a missing cell, None for what is no number."""
    texts = ['' if value.casefold() in MISSING else tidy(value) for value in values]
    decimal_comma = any(',' in text for text in texts) and comma_is_decimal(texts, delimiter)
    return [text and to_number(text, decimal_comma) for text in texts]


def plain(value, places=None):
    """A Fraction as a plain decimal: exact up to 12 decimals, else rounded to 10; no exponent, no noise."""
    with localcontext() as context:
        context.prec = 2000
        if places is None:
            scaled = value * 10**12
            places = 12 if scaled.denominator == 1 else 10
            digits = Decimal(value.numerator) / Decimal(value.denominator)
            text = format(digits.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN), 'f')
            text = text.rstrip('0').rstrip('.')
        else:
            digits = Decimal(value.numerator) / Decimal(value.denominator)
            text = format(digits.quantize(Decimal(1).scaleb(-places), rounding='ROUND_HALF_UP'), 'f')
    return text[1:] if re.fullmatch(r'-0(?:\.0*)?', text) else text


