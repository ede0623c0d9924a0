/** What this deployment can do, and what it leaves out and why. */
import { Hono } from 'hono';
import { availableTools } from '../tools/registry.ts';
import { READ } from './auth.ts';
import type { AppEnv } from './context.ts';

export function toolsRoutes() {
  return new Hono<AppEnv>().get('/', READ, (c) => {
    const { deps } = c.var;
    const { tools, leftOut } = availableTools(deps.tools, { sandbox: deps.sandboxes !== null });
    return c.json({
      tools: tools.map(({ name, description, effect }) => ({ name, description, effect })),
      left_out: leftOut,
    });
  });
}
