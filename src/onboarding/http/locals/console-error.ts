import { pageOfConsole } from '../../domain/console.ts'
import { type Failure, type FailureCode, type FailureEntry, failureEntry, failures } from '../../domain/failure.ts'

type Words = NonNullable<FailureEntry['forSupport']>

/** For codes that only API clients should get. */
const rejected: Words = {
  title: 'This request was rejected',
  advice: 'Nothing was changed. Go back to the previous page.',
}

function wordsOf({ code, more: { retryAfterSeconds = 0 } }: Failure): Words | undefined {
  const words = failureEntry(code).forSupport
  if (!words || code !== 'rate_limited' || retryAfterSeconds <= 60) return words
  return { ...words, advice: `Wait ${Math.ceil(retryAfterSeconds / 60)} minutes, then try again.` }
}

/** Shown above a form that is returned for correction. */
export function refusedFormWords(failure: Failure) {
  const { code, detail, more } = failure
  // A missing resource that a field names is a mistake in the form.
  const said = code === 'input_invalid' || code === 'not_found' ? undefined : wordsOf(failure)
  return {
    title: said?.title ?? 'Something is missing or invalid',
    // Errors of fields are shown at the fields.
    detail: more.errors ? undefined : detail,
    advice: said?.advice ?? 'Nothing was changed. Correct the form and send it again.',
  }
}

export function consoleErrorLocals(failure: Failure, requestId: string, path: string) {
  const { code, detail, more } = failure
  const { title, advice } =
    wordsOf(failure) ?? (failures[code].status < 500 ? rejected : failures.unexpected.forSupport)
  const faults = (more.errors ?? []).map(({ pointer, detail }) => `${pointer.slice(1) || 'form'}: ${detail}`)
  return { title, detail, advice, faults, nextPage: nextPage(code, path), requestId }
}

/** `path`: with query. */
export const isConsole = (path: string) => /^\/support(?:[/?]|$)/.test(path)

function nextPage(code: FailureCode, path: string): { href: string; label: string } | undefined {
  if (code === 'console_off') return undefined
  if (code === 'sign_in_needed' || code === 'sign_in_failed') return signInLink('/support/sign-in?', path)
  if (code === 'sign_in_stale') return signInLink('/support/sign-in/start?again&', path)
  return { href: '/support', label: 'Go to overview' }
}

const signInLink = (address: string, path: string) => ({
  href: `${address}next=${encodeURIComponent(pageOfConsole(pageOfForm(path)))}`,
  label: 'Sign in',
})

/** An action's path is below the path of its page. Unknown pages lead to the overview. */
const pageOfForm = (path: string): string | undefined =>
  /^\/support\/(?:(?:connections|links|doctor)\/[^/?]+|webhooks\/[^/?]+\/[^/?]+|(?:tenants|keys)(?:\/[^/?]+)?|erasures|campaigns(?:\/cmp_[^/?]+)?)/.exec(
    path,
  )?.[0]
