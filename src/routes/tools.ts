/** What this deployment can do, and what it leaves out and why; with `?domain=`, that domain's tools too. */
import { Hono } from 'hono';
import { chooseDomain } from '../tools/domains/domain.ts';
import { availableTools } from '../tools/registry.ts';
import { READ } from './auth.ts';
import type { AppEnv } from './context.ts';
import { domainFault } from './domains.ts';
import { invalidInput, query } from './input.ts';
import { toolsQuery } from './schemas.ts';

export function toolsRoutes() {
  return new Hono<AppEnv>().get('/', READ, query(toolsQuery), (c) => {
    const { deps } = c.var;
    const { domain: asked } = c.req.valid('query');
    const faults = domainFault(asked, deps.tools);
    if (faults.length > 0) throw invalidInput(faults);
    // There is no question here for `auto` to go by: it lists what every run has.
    const domain = chooseDomain(deps.tools.domains, { asked, question: '' });
    const sandbox = deps.sandboxes !== null;
    const { tools, leftOut } = availableTools(deps.tools, { sandbox, domain });
    return c.json({
      tools: tools.map(({ name, description, effect }) => ({ name, description, effect })),
      left_out: leftOut,
      domains: deps.tools.domains.map((one) => ({
        name: one.name,
        display_name: one.displayName,
        description: one.description,
        keywords: one.keywords,
        tools: one.tools.map(({ name }) => name),
      })),
    });
  });
}
