/**
 * The tools of a deployment: a literal list made into a Map. A name from the model goes through
 * `get`, never through an object's own properties. Tools of domains are known by name like all
 * others, but listed only for the runs of their domain.
 */
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages';
import { calc } from './calc.ts';
import type { Tool, ToolContext, ToolOutput } from './define.ts';
import { DOMAIN_CHOICES, type Domain } from './domains/domain.ts';
import { DOMAINS } from './domains/domains.ts';
import { executePython, executePythonWith } from './execute-python.ts';
import { fetchTaskFiles } from './fetch-task-files.ts';
import { grep } from './grep.ts';
import { listFiles } from './list-files.ts';
import { nearestFirst } from './nearest.ts';
import { parseExcel } from './parse-excel.ts';
import { parsePdf } from './parse-pdf.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

export interface Registry {
  /** By name or alias, tools of domains too; null when there is none. */
  get(name: string): Tool | null;
  has(name: string): boolean;
  /** In registration order, without the tools of domains. */
  all(): readonly Tool[];
  /** How many `all` gives. */
  readonly size: number;
  readonly domains: readonly Domain[];
  /** For the Messages API, in the order of `names` (`all` when left out); unknown names beside them. */
  definitions(names?: readonly string[]): { definitions: ToolUnion[]; unknown: string[] };
  /**
   * Parses and runs; an unknown name, bad input or a throw is an `isError` result, never a throw.
   * For programs: a model's calls go through loop/dispatch.ts, which repairs, limits and records.
   */
  call(name: string, input: unknown, context: ToolContext): Promise<ToolOutput>;
  /** A new registry with one more tool. Throws when its name or an alias is taken. */
  register(tool: Tool): Registry;
}

/** An immutable registry. Throws when two tools claim one name: that is a bug in the list. */
export function createRegistry(tools: readonly Tool[], domains: readonly Domain[] = []): Registry {
  const list: readonly Tool[] = Object.freeze([...tools]);
  const domainList: readonly Domain[] = Object.freeze([...domains]);
  checkDomainNames(domainList);
  const byName = indexByName(list, domainList);
  const get = (name: string) => byName.get(name) ?? null;
  return Object.freeze({
    get,
    has: (name: string) => byName.has(name),
    all: () => list,
    size: list.length,
    domains: domainList,
    definitions: (names: readonly string[] = list.map(({ name }) => name)) => {
      // The API refuses a list that names one tool twice, as a name and its alias would.
      const chosen = new Set<Tool>();
      const unknown: string[] = [];
      for (const name of names) {
        const tool = byName.get(name);
        if (tool === undefined) unknown.push(name);
        else chosen.add(tool);
      }
      return { definitions: [...chosen].map(toDefinition), unknown };
    },
    call: async (name: string, input: unknown, context: ToolContext) => {
      const tool = get(name);
      if (tool !== null) return await callTool(tool, input, context);
      const known = nearestFirst(
        name,
        [...byName.values()].map((each) => each.name),
      );
      return failure(`There is no tool "${name}"; use one of ${[...new Set(known)].join(', ')}.`);
    },
    register: (tool: Tool) => createRegistry([...list, tool], domainList),
  });
}

function indexByName(tools: readonly Tool[], domains: readonly Domain[]): Map<string, Tool> {
  const byName = new Map<string, Tool>();
  // Two domains may share a tool, and one may bring what everybody has: that is one tool, once.
  const own = new Set(domains.flatMap((domain) => domain.tools));
  for (const tool of tools) own.delete(tool);
  for (const tool of [...tools, ...own]) {
    for (const name of new Set([tool.name, ...tool.aliases])) {
      const holder = byName.get(name);
      if (holder !== undefined) {
        throw new Error(`Tools ${holder.name} and ${tool.name} both claim the name "${name}".`);
      }
      byName.set(name, tool);
    }
  }
  return byName;
}

function checkDomainNames(domains: readonly Domain[]): void {
  const taken = new Set<string>(DOMAIN_CHOICES);
  for (const { name, displayName } of domains) {
    if (taken.has(name)) {
      throw new Error(`The domain "${displayName}" claims the name "${name}", which is taken.`);
    }
    taken.add(name);
  }
}

function toDefinition(tool: Tool): ToolUnion {
  return {
    name: tool.name,
    description: tool.description,
    // defineTool derives it from a zod object, whose JSON Schema is always of type object.
    input_schema: { ...tool.inputSchema, type: 'object' },
  };
}

async function callTool(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutput> {
  try {
    const parsed = tool.parse(input);
    if (parsed.success) {
      const returned = await tool.run(parsed.data, context);
      return typeof returned === 'string' ? { content: returned } : returned;
    }
    const faults = parsed.error.issues.map(
      ({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`,
    );
    return failure(`Invalid arguments for ${tool.name}: ${faults.join('; ')}.`);
  } catch (error) {
    return failure(
      `${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function failure(content: string): ToolOutput {
  return { content, isError: true };
}

const TOOLS: readonly Tool[] = [
  // In the order in which a model reads them. A new tool is one line here: docs/new-tool.md.
  calc,
  listFiles,
  readFile,
  grep,
  writeFile,
  executePython,
  fetchTaskFiles,
  parseExcel,
  parsePdf,
];

/** The tools and domains that this build knows. `pythonNote`: see PYTHON_NOTE in settings.ts. */
export function buildDefaultRegistry({ pythonNote }: { pythonNote?: string } = {}): Registry {
  if (pythonNote === undefined) return createRegistry(TOOLS, DOMAINS);
  const python = executePythonWith(pythonNote);
  return createRegistry(
    TOOLS.map((tool) => (tool === executePython ? python : tool)),
    DOMAINS,
  );
}

/**
 * What a deployment can run, and what it leaves out and why (`GET /v1/tools`, `run_prepared`).
 * The tools of `domain` come last.
 */
export function availableTools(
  registry: Registry,
  { sandbox, domain = null }: { sandbox: boolean; domain?: Domain | null },
): { tools: Tool[]; leftOut: { name: string; reason: string }[] } {
  const tools: Tool[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  for (const tool of new Set([...registry.all(), ...(domain?.tools ?? [])])) {
    if (tool.needs === 'sandbox' && !sandbox) {
      leftOut.push({
        name: tool.name,
        reason: 'no sandbox service is configured; set E2B_API_KEY',
      });
    } else tools.push(tool);
  }
  return { tools, leftOut };
}
