/**
 * Counts the branches of the Lua scripts: each condition is wrapped so that it leaves its number
 * and its outcome, and the script answers both its own answer and the list. The text is otherwise
 * untouched. Conditions are those of `if`, `elseif` and `while`.
 */
import type { ScriptName } from '../../src/loop/scripts.ts';

export interface CountedScript {
  text: string;
  /** `script: condition → outcome`; two for each condition, at the number that the script leaves. */
  branches: string[];
}

const TOKEN = /--[^\n]*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b(?:if|elseif|while|then|do)\b/g;

export function countBranches(script: ScriptName, text: string): CountedScript {
  const [shebang = '', ...rest] = text.split('\n');
  const body = rest.join('\n');
  const conditions: string[] = [];
  let counted = '';
  let copied = 0;
  let openedAt: number | null = null;
  for (const { 0: token, index } of body.matchAll(TOKEN)) {
    if (token === 'if' || token === 'elseif' || token === 'while') {
      openedAt = index + token.length;
    } else if ((token === 'then' || token === 'do') && openedAt !== null) {
      const condition = body.slice(openedAt, index).trim();
      counted += `${body.slice(copied, openedAt)} seen(${conditions.length}, ${condition}) `;
      conditions.push(condition.replace(/\s+/g, ' '));
      copied = index;
      openedAt = null;
    }
  }
  counted += body.slice(copied);
  const wrapped = `${shebang}
local passed = {}
local function seen(number, outcome)
  passed[#passed + 1] = number * 2 + (outcome and 1 or 0)
  return outcome
end
local function script()
${counted}
end
local answer = script()
return {answer, passed}
`;
  const branches = conditions.flatMap((condition, number) => {
    const same = conditions.slice(0, number).filter((one) => one === condition).length;
    const name = `${script}: ${condition}${same > 0 ? ` (${same + 1})` : ''}`;
    return [`${name} → no`, `${name} → yes`];
  });
  return { text: wrapped, branches };
}

/** Branch → how often. */
export type BranchCounts = Map<string, number>;

/** Every branch of these scripts, each with a count of 0. */
export function noBranches(scripts: ReadonlyMap<ScriptName, CountedScript>): BranchCounts {
  return new Map([...scripts.values()].flatMap(({ branches }) => branches.map((one) => [one, 0])));
}
