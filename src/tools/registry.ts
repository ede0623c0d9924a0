/**
 * The tools of a deployment: a literal list made into a Map. A name from the model goes through
 * `get`, never through an object's own properties.
 */
import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages';
import { calc } from './calc.ts';
import type { Tool } from './define.ts';
import { executePython } from './execute-python.ts';
import { grep } from './grep.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

export interface Registry {
  /** By name or alias; null when there is none. */
  get(name: string): Tool | null;
  has(name: string): boolean;
  /** In registration order. */
  all(): readonly Tool[];
  readonly size: number;
  /** For the Messages API, in the order of `names` (all when left out); unknown names beside them. */
  definitions(names?: readonly string[]): { definitions: ToolUnion[]; unknown: string[] };
  /** A new registry with one more tool. Throws when its name or an alias is taken. */
  register(tool: Tool): Registry;
}

/** An immutable registry. Throws when two tools claim one name: that is a bug in the list. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const list: readonly Tool[] = Object.freeze([...tools]);
  const byName = new Map<string, Tool>();
  for (const tool of list) {
    for (const name of new Set([tool.name, ...tool.aliases])) {
      const holder = byName.get(name);
      if (holder !== undefined) {
        throw new Error(`Tools ${holder.name} and ${tool.name} both claim the name "${name}".`);
      }
      byName.set(name, tool);
    }
  }
  return Object.freeze({
    get: (name: string) => byName.get(name) ?? null,
    has: (name: string) => byName.has(name),
    all: () => list,
    size: list.length,
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
    register: (tool: Tool) => createRegistry([...list, tool]),
  });
}

function toDefinition(tool: Tool): ToolUnion {
  return {
    name: tool.name,
    description: tool.description,
    // defineTool derives it from a zod object, whose JSON Schema is always of type object.
    input_schema: { ...tool.inputSchema, type: 'object' },
  };
}

/** The tools this build knows. A new tool is one line here. */
export function buildDefaultRegistry(): Registry {
  return createRegistry([calc, listFiles, readFile, grep, writeFile, executePython]);
}

/** What a deployment can run, and what it leaves out and why (`GET /v1/tools`, `run_prepared`). */
export function availableTools(
  registry: Registry,
  ports: { sandbox: boolean },
): { tools: Tool[]; leftOut: { name: string; reason: string }[] } {
  const tools: Tool[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  for (const tool of registry.all()) {
    if (tool.needs === 'sandbox' && !ports.sandbox) {
      leftOut.push({
        name: tool.name,
        reason: 'no sandbox service is configured; set E2B_API_KEY',
      });
    } else tools.push(tool);
  }
  return { tools, leftOut };
}
