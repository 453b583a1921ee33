import { z } from 'zod'

/** An error by its code; with `status`, only where the answer has it. */
export const AnswerError = z.union([
  z.string().min(1).max(100),
  z.strictObject({ error: z.string().min(1).max(100), status: z.int().min(100).max(599) }),
])
export type AnswerError = z.infer<typeof AnswerError>

export const isAmong = (errors: readonly AnswerError[], error: string | undefined, status: number): boolean =>
  errors.some((each) => (typeof each === 'string' ? each === error : each.error === error && each.status === status))
