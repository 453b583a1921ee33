import { z } from 'zod'

export type TokenCounts = { input: number; output: number }

const Tokens = z.int().min(0).max(1e12).optional().catch(undefined)

const Usage = z.object({
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  input_tokens: Tokens,
  output_tokens: Tokens,
  cache_creation_input_tokens: Tokens,
  cache_read_input_tokens: Tokens,
})
export type ReportedUsage = z.infer<typeof Usage>

/** Where a whole answer has it, and the events `message_start` (Anthropic) and `response.completed` (OpenAI). */
const Reporting = z.object({
  usage: z.unknown().optional(),
  message: z.object({ usage: z.unknown().optional() }).optional().catch(undefined),
  response: z.object({ usage: z.unknown().optional() }).optional().catch(undefined),
})

/** Adds what an answer or an event reports. Reports are cumulative: a later figure takes the place of an earlier one. */
export function withReport(before: ReportedUsage, answer: unknown): ReportedUsage {
  const read = Reporting.safeParse(answer)
  const { usage, message, response } = read.success ? read.data : {}
  const found = Usage.safeParse(usage ?? message?.usage ?? response?.usage)
  if (!found.success) return before
  const said = Object.entries(found.data).filter(([, tokens]) => tokens !== undefined)
  return { ...before, ...Object.fromEntries(said) }
}

/** Anthropic counts what was cached beside `input_tokens`; OpenAI's figures include it. */
export function countsOf(usage: ReportedUsage): TokenCounts {
  const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)
  return {
    input: usage.prompt_tokens ?? (usage.input_tokens ?? 0) + cached,
    output: usage.completion_tokens ?? usage.output_tokens ?? 0,
  }
}

/** A chunk that says nothing but the usage of its stream. */
export const isUsageChunk = (event: unknown): boolean => UsageChunk.safeParse(event).success

const UsageChunk = z.object({ choices: z.array(z.unknown()).length(0), usage: z.object({}) })
