import { describe, expect, it } from 'vitest';
import { buildDefaultRegistry } from '../../src/tools/registry.ts';
import { createTestApp } from './helpers.ts';

const OWN = ['run_bandit_experiment', 'concentration_bound', 'information_bound'];
const createApp = () => createTestApp({ overrides: { tools: buildDefaultRegistry() } });

interface Listed {
  tools: { name: string }[];
  domains: { name: string; tools: string[] }[];
  error?: { code: string; message: string };
}

async function list(query: string): Promise<{ status: number; body: Listed; names: string[] }> {
  const response = await createApp().request(`/v1/tools${query}`);
  const body = (await response.json()) as Listed;
  return { status: response.status, body, names: (body.tools ?? []).map(({ name }) => name) };
}

describe('GET /v1/tools with domains', () => {
  it('lists domains and their tools, and offers none of these by itself', async () => {
    const { body, names } = await list('');
    expect(body.domains).toEqual([
      {
        name: 'mab',
        display_name: 'Multi-armed bandits',
        description: expect.stringContaining('bandits'),
        keywords: expect.arrayContaining(['UCB1', '多臂老虎机']),
        tools: OWN,
      },
    ]);
    expect(names).toContain('calc');
    expect(names.filter((name) => OWN.includes(name))).toEqual([]);
  });

  it.each(['?domain=auto', '?domain=none'])('lists what every run has for %s', async (query) => {
    expect((await list(query)).names).toEqual((await list('')).names);
  });

  it('lists the domain’s tools after the others with ?domain=mab', async () => {
    const { names } = await list('?domain=mab');
    expect(names).toEqual([...(await list('')).names, ...OWN]);
  });

  it.each(['?domain=law', '?domain=constructor'])(
    'refuses %s and names the known',
    async (query) => {
      const { status, body } = await list(query);
      expect(status).toBe(400);
      expect(body.error?.message).toMatch(/^domain: .*available are auto, none, mab$/);
    },
  );
});

describe('POST /v1/runs with a domain', () => {
  it.each(['mab', 'auto', 'none'])('takes %s and keeps it', async (domain) => {
    const app = createApp();
    await app.ask({ domain });
    expect(app.store.accepted[0]?.entry.options.domain).toBe(domain);
  });

  it.each([
    ['an unknown domain', { domain: 'MAB' }, /^domain: .*"MAB"; available are auto, none, mab$/],
    [
      'a domain’s tool without its domain',
      { domain: 'none', tools: ['information_bound'] },
      /^tools: "information_bound" belongs to the domain mab; send "domain": "mab"$/,
    ],
    [
      'approval of such a tool',
      { domain: 'none', approvals: ['information_bound'] },
      /^approvals: .*belongs to the domain mab/,
    ],
  ])('refuses %s', async (_, body, message) => {
    const app = createApp();
    const response = await app.post('/v1/runs', { question: 'What is 2 + 2?', ...body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Listed).error?.message).toMatch(message);
    expect(app.store.accepted).toEqual([]);
  });

  it.each([
    ['by naming it', { domain: 'mab' }],
    ['by naming the tool alone', {}],
  ])('lets a run have a domain’s tool %s', async (_, body) => {
    const app = createApp();
    await app.ask({ ...body, tools: ['information_bound', 'calc'] });
    expect(app.store.accepted[0]?.entry.options.tools).toEqual(['information_bound', 'calc']);
  });
});
