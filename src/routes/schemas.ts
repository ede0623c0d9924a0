/** The zod schemas of what requests may hold. Strict: an unknown field is refused by name. */
import { z } from 'zod';
import { MAX_FILES_PER_RUN, MAX_QUESTION_BYTES } from '../limits.ts';

const MAX_METADATA_FIELDS = 16;
const MAX_LIST = 100;

const question = z.string().superRefine((text, context) => {
  const bytes = new TextEncoder().encode(text).byteLength;
  if (text.trim() === '') context.addIssue({ code: 'custom', message: 'must not be blank' });
  if (bytes > MAX_QUESTION_BYTES) {
    const message = `must be at most ${MAX_QUESTION_BYTES} bytes in UTF-8, this one has ${bytes}; send long text as a file`;
    context.addIssue({ code: 'custom', message });
  }
});

const toolNames = z.array(z.string().min(1).max(100)).max(MAX_LIST);
const positive = z.int().positive();
/** Which ones there are is judged by the deployment: see domains.ts. */
const domain = z.string().min(1).max(100);

/** POST /v1/runs. What needs the deployment to judge (names, maxima, files) is in accept-run.ts. */
export const runRequest = z.strictObject({
  question,
  file_ids: z
    .array(z.string().min(1).max(100))
    .max(MAX_FILES_PER_RUN, `must hold at most ${MAX_FILES_PER_RUN} files`)
    .optional(),
  follows: z.string().min(1).max(100).optional(),
  task_id: z.string().min(1).max(200).optional(),
  model: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be a model name')
    .optional(),
  tools: toolNames.optional(),
  approvals: toolNames.optional(),
  domain: domain.optional(),
  knowledge: z.enum(['on', 'off']).optional(),
  limits: z
    .strictObject({
      turns: positive.optional(),
      tool_calls: positive.optional(),
      tokens: positive.optional(),
      usd: z.number().positive().optional(),
      seconds: positive.optional(),
      web: z.enum(['linked', 'open']).optional(),
    })
    .optional(),
  drive: z.enum(['queue', 'client']).optional(),
  metadata: z
    .record(z.string().min(1).max(64), z.string().max(512))
    .refine((fields) => Object.keys(fields).length <= MAX_METADATA_FIELDS, {
      message: `must hold at most ${MAX_METADATA_FIELDS} fields`,
    })
    .optional(),
});
export type RunRequest = z.output<typeof runRequest>;

const RUN_STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;

const wholeText = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      message: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

/** As the store gives it: a time and a run's id. */
const cursor = z
  .string()
  .regex(/^\d{1,15}\.run_[\w-]{16,64}$/, 'must be the next_cursor of an earlier answer');

/** GET /v1/runs */
export const listQuery = z.strictObject({
  status: z.enum(RUN_STATUSES).optional(),
  limit: wholeText(1, 100).optional(),
  cursor: cursor.optional(),
});

/** GET /v1/tools */
export const toolsQuery = z.strictObject({ domain: domain.optional() });

/** GET /v1/runs/:id/events */
export const eventsQuery = z.strictObject({
  after: wholeText(0, 999_999_999).optional(),
  format: z.enum(['json', 'sse']).optional(),
});

/** POST /v1/runs/:id/approvals/:tool_use_id */
export const approvalRequest = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  note: z.string().max(2000).optional(),
});
