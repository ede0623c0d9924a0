/**
 * What is no answer although it stands where one should: template placeholders, talk of the marker
 * itself, and announcements of work. "I cannot tell": answer-admission.ts. Pure, no I/O.
 */

/** What a bracketed gap holds: `[YOUR FINAL ANSWER]`, `<answer>`, `{number}`, `[city name here]`. */
const GAP =
  /^([[<{(（【「［〔]{1,2})([^[\]<>{}()（）【】「」［］〔〕\n]{1,100})[\]>})）】」］〕]{1,2}/u;
const GAP_NOUN =
  /(?<![\p{L}])(?:answer|number|value|result|text|list|date|reason|explanation|name|city|country|year|title|one sentence)s?(?![\p{L}])|答案|回答|[数數](?:字|值)|[结結]果|文[本字]|列表|日期|原因|理由|名[称稱]/iu;
/** All words of a gap come from here; anything else is an answer in brackets. */
const GAP_WORDS = new Set(
  'your you the my a an of in or as few possible insert put write give enter place type fill final short bare exact correct actual answer answers number numbers value values result text list date reason reasons explanation name city country year title one sentence word words here goes only itself'.split(
    ' ',
  ),
);
const GAP_WORDS_ZH =
  /^(?:[请請]|在|此[处處]?|[这這][里裡裏]|填[写寫入]|[写寫]|[输輸]入|你|您|的|最[终終后後]|正[确確]|[简簡]短|一句[话話]|[说說]明|答案|回答|[数數](?:字|值)|[结結]果|文[本字]|列表|日期|原因|理由|名[称稱]|[:：\s])+$/u;
/** With these words it is the template whatever stands behind it. */
const SURELY_GAP = /\byour\b|\bhere\b|你|您/i;
/** Nouns that are no gap of their own: `[name]` and `(city)` need a word such as "the" beside them. */
const PLAIN_NOUN = /^(?:name|city|country|year|title)s?$/i;
const NAMED_GAP =
  /^(?:your (?:final |short )?answer(?: here| goes here)?|[你您]的(?:最[终終后後])?答案)[.。]?$/iu;
/** Nothing but dots, dashes, question marks or blanks to fill in, also in brackets. */
const ONLY_MARKS = /^(?:\[\s*[.…?_-]*\s*\]|[<({]\s*[.…?_-]+\s*[>)}]|[.…?_–—-]+|\*{1,3}|tbd)$/iu;
const ASKS_FOR_MARKS =
  /punctuation|symbol|character|operator|\bmark|\bsign\b|glyph|string|\bprints?\b|output|morse|符[号號]|字符|[标標][点點]|[输輸]出|[运運]算/iu;
const ASKS_FOR_TAGS =
  /\btags?\b|\bhtml\b|\bxml\b|\bsvg\b|\belements?\b|\bheader\b|\binclude|\bplaceholder|\btemplate|\bbracket|\bgeneric|\btype\b|[标標][签籤]|占位|括[号號]/iu;

function isGap(words: string): boolean {
  const all = words.toLowerCase().split(/[\s,:_/-]+/);
  return all.every((word) => GAP_WORDS.has(word));
}

/** `[YOUR FINAL ANSWER]`, `<answer>.`, `...`: the gap of the template, also with a remark's end behind it. */
export function isPlaceholder(answer: string, question: string): boolean {
  if (answer.length > 400) return false;
  if (ONLY_MARKS.test(answer)) return !ASKS_FOR_MARKS.test(question);
  if (NAMED_GAP.test(answer)) return true;
  const gap = GAP.exec(answer);
  if (gap === null || ASKS_FOR_TAGS.test(question)) return false;
  const words = (gap[2] ?? '').trim();
  if (!GAP_NOUN.test(words) || !(isGap(words) || GAP_WORDS_ZH.test(words))) return false;
  if (PLAIN_NOUN.test(words)) return false;
  // `(number) of x` is an answer that begins with a bracket; an echo ends here or goes on as a sentence.
  const rest = answer.slice(gap[0].length);
  return SURELY_GAP.test(words) || /^\s*(?:[.。,，;；]|[)）\]】}」』"'”’*_`~!！\s]*$)/u.test(rest);
}

const MARKER_NOUN =
  'marker|line|prefix|label|tag|format|template|keyword|phrase|heading|header|section|part|wording';
/** "The FINAL ANSWER: marker is followed by …". Lower case: a title is none. */
const NAMES_MARKER = new RegExp(
  `^(?:${MARKER_NOUN})s?(?:,| (?:is|was|has|had|are|were|must|should|will|would|comes?|came|stands?|stood|shows?|shown|holds?|held|contains?|follow(?:s|ed)|begins?|marks?|gives?|given|itself|above|below|that|which|as|at|only|on|in)\\b)`,
);
/** "FINAL ANSWER: is the prefix that was asked for": a verb first, and what it is about later. */
const SAYS_OF_MARKER =
  /^(?:is|was|has been|must|should|will|would|does|marks|introduces|precedes|stands|comes|goes|begins|starts|appears|indicates|signals|means|ends)\b[^\n]{0,300}\b(?:prefix|marker|label|template|format|keyword|instruct\w*|asked|request\w*|requir\w*|contract|convention|line|needed|necessary|appl(?:y|ies|icable)|above)\b/;
const POINTS_UP =
  /^\(?(?:see|given|stated|shown|as (?:given|stated|shown|requested|asked)) above\W*$|^as (?:requested|asked|instructed|required)\W*$/;
const NAMES_MARKER_ZH =
  /^(?:[这這该該][个個一]?)?(?:[标標][记記]|前[缀綴]|格式|模板|字[样樣]|一?行)(?:后面|後面|之[后後]|前面|下面|上面|是|[为為]|已|[应應]|必[须須]|用|只|按)|^(?:是|[为為]|[后後]面|之[后後]|[应應]|必[须須])[^\n]{0,40}(?:[标標][记記]|前[缀綴]|格式|模板|字[样樣]|要求)/u;

/** What stands behind a marker only talks about it. `marker`: the marker with what leads to it. */
export function talksOfMarker(content: string, marker: string): boolean {
  const line = content.replace(/^[*_`"'”’\s]{1,6}/, '').split('\n', 1)[0] ?? '';
  if (SAYS_OF_MARKER.test(line) || POINTS_UP.test(line) || NAMES_MARKER_ZH.test(line)) return true;
  if (!NAMES_MARKER.test(line)) return false;
  // Without "The" before the marker, `label on the bottle` may be the answer.
  return (
    /^\W*(?:the|this|that|my|a)\b/i.test(marker) ||
    /\b(?:asked|request\w*|requir\w*|instruct\w*|format|above|below|followed)\b/.test(line)
  );
}

/** A reply that only says what comes next ("Let me search for it."): the work, not its answer. */
const ANNOUNCES =
  /^(?:(?:okay|ok|sure|first|next|now|great)[,.!]? )*(?:i will|i'll|let me|let's|i'm going to|i am going to|i need to|i should|i have to) (?:first |now |also |then )?(?:search|look|start|begin|check|use|find|read|open|calculate|compute|query|call|try|fetch|analy|examine|download|load|inspect|run|verify)[\s\S]*[.:…]$/i;
const ANNOUNCES_ZH =
  /^(?:好的[，,]?)?(?:首先[，,]?)?(?:我(?:先|将|会|来|需要)|让我)(?:先)?(?:来)?(?:搜索|搜一|查|读|打开|计算|看|分析|使用|调用)[\s\S]*[.:…。：]$/u;

export function announcesWork(reply: string): boolean {
  if (reply.length > 600 || reply.includes('\n\n')) return false;
  const words = reply.replace(/[’‘]/g, "'");
  return ANNOUNCES.test(words) || ANNOUNCES_ZH.test(words);
}
