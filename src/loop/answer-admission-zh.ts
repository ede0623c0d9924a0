/**
 * The ways to say "I cannot tell" in Chinese, simplified and traditional. Pure, no I/O, linear.
 */

/** Traditional characters of the words below, each with its simplified form in the same place. */
const TRADITIONAL =
  '無確斷獲資訊沒個問題終後為爲應該對開檔檢標們說據論結這裡裏數條證從過尋檢錄關內準暫還現實經當總綜計讀訪遺時詳證來給註記載單頁標間間並據義';
const SIMPLIFIED =
  '无确断获资讯没个问题终后为为应该对开档检标们说据论结这里里数条证从过寻检录关内准暂还现实经当总综计读访遗时详证来给注记载单页标间间并据义';
const TO_SIMPLIFIED = new Map([...TRADITIONAL].map((from, at) => [from, SIMPLIFIED.charAt(at)]));

function simplified(text: string): string {
  return text.replace(/\p{Script=Han}/gu, (character) => TO_SIMPLIFIED.get(character) ?? character);
}

/** Nothing but these words: no answer wherever they stand. */
export const CANNOT_TELL_ZH = [
  '无法获取答案',
  '無法獲取答案',
  '无法确定',
  '無法確定',
  '无法回答',
  '無法回答',
  '无法判断',
  '無法判斷',
  '无法得出答案',
  '無法得出答案',
  '无法得知',
  '無法得知',
  '不知道',
  '未知',
  '不详',
  '不詳',
  '信息不足',
  '資訊不足',
  '资料不足',
  '資料不足',
  '没有答案',
  '沒有答案',
  '无答案',
  '無答案',
];

const LEAD =
  /^(?:(?:很|非常)?(?:抱歉|遗憾|可惜)(?:的是)?|对不起|不好意思|因此|所以|综上(?:所述)?|总之|最终|经过?[^，。]{0,12}[后，]|根据[^，。]{1,30}，|[，,。！!、\s]){0,6}/u;
const ADVERBS = '(?:目前|暂时|仍然?|还是|依然|还|也|都|现在|最终|真的|确实|并|实在)*';
const CANNOT = '(?:无法|不能|没法|没能|未能|没有办法|没办法|难以|无从)';
const FROM = '(?:(?:从|根据|在|通过|凭)[^，。]{1,40}?)?(?:准确|直接|最终|可靠|完全)?地?';
/** What ends the words or names this question. */
const WHOLE = '(?=$|[，,。；;：:（(！]|答案|该|此|这|本题|问题|正确|最终|确切|具体)';

/** Says that this question has no answer here. */
const SURE: readonly RegExp[] = [
  new RegExp(
    `^(?:我们?|本人)?${ADVERBS}${CANNOT}${FROM}(?:确定|回答|判断|得出|获取|得知|知道|作答|给出|找到|查明|推断|解答|提供)${WHOLE}`,
    'u',
  ),
  new RegExp(
    `^(?:我们?)?${ADVERBS}(?:没有?|未能?|没能)(?:找到|得到|得出|查到|获得|搜到|给出)[^，。]{0,20}答案`,
    'u',
  ),
  new RegExp(`^(?:我们?)?${ADVERBS}(?:不知道|不清楚|不确定|不得而知)${WHOLE}`, 'u'),
  new RegExp(
    `^(?:(?:最终|正确|确切|具体|该题|本题|这个?问题|该问题)的?)?答案${ADVERBS}(?:是)?(?:未知|不明|不详|不确定|不清楚|不明确|不得而知|${CANNOT}|找不到|查不到|未(?:给出|说明|提及|提供|注明|公布|找到|在)|没有?(?:给出|说明|提及|提供|注明|公布|找到|在)|尚未|不存在)`,
    'u',
  ),
  /^(?:没有|找不到|查不到|没找到|未找到|未查到|没有找到|没查到)(?:任何|明确|确切|具体|正确)?的?答案/u,
  /^(?:现有|已有|可用)?的?(?:信息|资讯|资料|数据|条件|证据)(?:仍|还)?(?:不足|不够)/u,
  new RegExp(`^(?:该|这个?|此|本)(?:问题|题目?)${ADVERBS}(?:${CANNOT}|没有答案|无解答)`, 'u'),
  /^(?:原文|文[中章]|论文|资料|文件|文档|档案|附件|材料|来源|网页|页面|题目)[^，。]{0,10}(?:没有|未|没)(?:给出|说明|提及|提到|提供|包含|写明)[^，。]{0,10}答案/u,
  /(?:所以|因此|故)(?:我们?)?(?:无法|不能|没法)(?:确定|回答|判断|得出|得知|知道|作答|给出)(?:答案|该问题|这个问题|此题)?$/u,
];
/** Says what was not found or not readable. */
const LIKELY: readonly RegExp[] = [
  new RegExp(
    `^(?:我们?)?${ADVERBS}(?:没有?|未能?|没能|${CANNOT})${FROM}(?:成功)?(?:找到|查到|搜到|打开|读取|访问|获得|看到|下载|识别|确认|获取|查明|确定|算出|计算|得到|回答|判断)`,
    'u',
  ),
  /^(?:我们?)?(?:找不到|查不到|打不开|看不到)/u,
  /^(?:(?:原文|文中|文章|论文|资料|文件|文档|档案|附件|材料|来源|网页|页面|表格|图片|视频|网站)(?:中|里|里面|上)?)(?:都|也|并|均)?(?:没有|未|没)(?:给出|说明|提及|提到|写明|注明|记载|列出|提供|包含)/u,
  /^(?:附件|文件|网页|页面|档案|文档|图片|视频)(?:无法|不能|打不)/u,
  /^(?:没有|找不到|查不到|没找到|未找到|未查到|没有找到|没查到)(?:任何|相关)?的?(?:信息|资讯|资料|记录|结果|内容|数据)/u,
];
/** Behind 答案是: 未知的，因为…. */
const MISSING =
  /^(?:未知|不明|不详|不确定|不清楚|(?:无法|不能)(?:确定|得知|回答|判断|获取|找到|查明|知道|给出)|找不到)的?(?=$|[，,。；;（(]|因|由于)/u;
const TURNS = /但|不过|然而|可能(?:是|为)|应该?是|大概|推测|估计/u;

/** What a sentence admits: sure (about the answer itself), likely (what was not found), or null. */
export function admitsInChinese(sentence: string): 'sure' | 'likely' | null {
  if (!/\p{Script=Han}/u.test(sentence.slice(0, 40))) return null;
  const words = simplified(sentence).replace(LEAD, '');
  if (MISSING.test(words)) return 'sure';
  if (TURNS.test(words) && !/(?:所以|因此|故)(?:我们?)?(?:无法|不能|没法)/u.test(words))
    return null;
  if (SURE.some((pattern) => pattern.test(words))) return 'sure';
  return LIKELY.some((pattern) => pattern.test(words)) ? 'likely' : null;
}
