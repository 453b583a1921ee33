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
type ReportedUsage = z.infer<typeof Usage>

/** In complete responses and in the events `message_start` (Anthropic) and `response.completed` (OpenAI). */
const Reporting = z.object({
  usage: z.unknown().optional(),
  message: z.object({ usage: z.unknown().optional() }).optional().catch(undefined),
  response: z.object({ usage: z.unknown().optional() }).optional().catch(undefined),
})

/** Reports are cumulative: a later figure replaces an earlier one. */
export function reportIn(answer: unknown): Partial<ReportedUsage> {
  const read = Reporting.safeParse(answer)
  const { usage, message, response } = read.success ? read.data : {}
  const found = Usage.safeParse(usage ?? message?.usage ?? response?.usage)
  if (!found.success) return {}
  return Object.fromEntries(Object.entries(found.data).filter(([, tokens]) => tokens !== undefined))
}

/** Anthropic excludes cached tokens from `input_tokens`; OpenAI includes them. */
export function countsOf(usage: ReportedUsage): TokenCounts {
  const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)
  return {
    input: usage.prompt_tokens ?? (usage.input_tokens ?? 0) + cached,
    output: usage.completion_tokens ?? usage.output_tokens ?? 0,
  }
}

export type AnswerUsage = { reported: ReportedUsage; unreportedText: number; isWhole: boolean }

export const noUsage: AnswerUsage = { reported: {} as ReportedUsage, unreportedText: 0, isWhole: false }

type BilledTokens = TokenCounts & { estimated: boolean }

/** OpenAI's rule of thumb for English (Help Center, "What are tokens and how to count them", as read on 2026-11-16). */
const charactersPerToken = 4

const tokensIn = (characters: number): number => Math.ceil(characters / charactersPerToken)

/** Estimates usage if a stream was cut off, or if the provider does not report the usage of streams. */
export function billedTokens(
  { reported, unreportedText, isWhole }: AnswerUsage,
  promptLength: () => number,
): BilledTokens {
  const { input, output } = countsOf(reported)
  const unreportedOutput = tokensIn(unreportedText)
  const unreportedInput = input === 0 && (!isWhole || unreportedText > 0) ? tokensIn(promptLength()) : 0
  return {
    input: input + unreportedInput,
    output: output + unreportedOutput,
    estimated: unreportedInput + unreportedOutput > 0,
  }
}

export function withEvent(before: AnswerUsage, event: unknown): AnswerUsage {
  const report = reportIn(event)
  const countsOutput = 'completion_tokens' in report || 'output_tokens' in report
  return {
    ...before,
    reported: { ...before.reported, ...report },
    unreportedText: countsOutput ? 0 : before.unreportedText + writtenText(event),
  }
}

const Written = z.object({
  /** An object in Anthropic's `content_block_delta`, a string in OpenAI's responses. */
  delta: z.unknown().optional(),
  choices: z.array(z.object({ delta: z.unknown().optional(), text: z.unknown().optional() })).optional(),
})

function writtenText(event: unknown): number {
  const read = Written.safeParse(event)
  if (!read.success) return 0
  const { delta, choices = [] } = read.data
  return textIn([delta, ...choices.flatMap((choice) => [choice.delta, choice.text])], isWriting)
}

const naming = new Set(['type', 'role', 'id', 'name', 'signature', 'stop_reason', 'finish_reason'])
const isWriting = (name: string) => !naming.has(name)

export const promptText = (request: object): number => textIn(request, (_name, text) => !encoded.test(text))

const encoded = /^[\w+/=:;,.-]{256,}$/

function textIn(value: unknown, counts: (name: string, text: string) => boolean, name = ''): number {
  if (typeof value === 'string') return counts(name, value) ? value.length : 0
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const [member, inner] of Object.entries(value)) {
    length += textIn(inner, counts, Array.isArray(value) ? name : member)
  }
  return length
}

export const isUsageChunk = (event: unknown): boolean => UsageChunk.safeParse(event).success

const UsageChunk = z.object({ choices: z.array(z.unknown()).length(0), usage: z.object({}) })
