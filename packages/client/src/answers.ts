import { ApiError, UnreachableError } from './errors.ts'
import { retryAfterMs } from './retries.ts'
import type { Problem } from './types.ts'

export type AttemptResult = { answer: unknown } | { error: ApiError | UnreachableError; waitMs?: number | undefined }

/** `address` is for error messages. */
export async function tryOnce(send: () => Promise<Response>, address: string): Promise<AttemptResult> {
  let response: Response
  let text: string
  try {
    response = await send()
    text = await response.text()
  } catch (error) {
    return { error: new UnreachableError(address, error) }
  }
  const { ok } = response
  if (ok && text === '') return { answer: undefined }
  const answer = parsed(text)
  if (ok && answer !== undefined) return { answer }
  return errorIn(response, answer, address)
}

export const readError = async (response: Response, address: string): Promise<ApiError> =>
  errorIn(response, parsed(await response.text()), address).error

function errorIn(response: Response, answer: unknown, address: string) {
  const { status, headers } = response
  const problem = problemIn(answer)
  const detail = problem.code === undefined ? { detail: foreignAnswer(response, address) } : {}
  const waitMs = retryAfterMs(headers.get('retry-after'), Date.now())
  const seconds = waitMs === undefined ? undefined : Math.ceil(waitMs / 1_000)
  return { error: new ApiError(status, { ...problem, ...detail }, seconds), waitMs }
}

/** A response of another server is usually a wrong address. */
function foreignAnswer({ status, headers }: Response, address: string): string {
  const location = headers.get('location') ?? ''
  if (status >= 300 && status < 400 && URL.canParse(location, address)) {
    const { origin, pathname } = new URL(location, address)
    return `${address} redirects to ${origin}${pathname}, where the key is not sent. Give createCauseway the address of the deployment itself.`
  }
  if (status >= 500) return `${address} responded with ${status}, but not as Causeway does. Is Causeway running there?`
  return `${address} isn't a Causeway server (got a ${status} page). Check \`url\`.`
}

/** A proxy may respond with HTML or JSON of another form. Reads only members of the right type. */
function problemIn(answer: unknown): Partial<Problem> {
  if (typeof answer !== 'object' || answer === null) return {}
  const { errors, ...members } = answer as Record<string, unknown>
  const texts = Object.entries(members).filter(([, value]) => typeof value === 'string')
  return { ...Object.fromEntries(texts), ...(Array.isArray(errors) && { errors }) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
