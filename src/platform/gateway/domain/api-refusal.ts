import type { Integration } from './integration.ts'

/** What an API said that it failed with, although its status was one of success. */
export type ApiRefusal = { error: string }

/** Returns undefined if the answer does not say that it failed. */
export function refusalIn(body: string, { successMember, errorsMember }: Integration['api']): ApiRefusal | undefined {
  if (successMember === undefined && errorsMember === undefined) return undefined
  const answer = membersOf(body)
  if (successMember !== undefined && answer[successMember] === false) return { error: String(answer.error) }
  const errors = errorsMember === undefined ? undefined : answer[errorsMember]
  return Array.isArray(errors) && errors.length > 0 ? { error: codeOf(errors[0]) } : undefined
}

function membersOf(body: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(body)
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** GraphQL leaves codes to `extensions` (October 2021, section 7.1.2). */
const codeOf = (error: unknown): string => {
  const { extensions } = (error ?? {}) as { extensions?: { code?: unknown } }
  return String(extensions?.code ?? '')
}
