// Every key this program writes to Redis, and how long it lives.

/** An authorization under way: as long as a person may take at the provider, and as long again to tell late from unknown. */
export const pendingKey = (stateDigest: string) => `onboarding:authorization:{${stateDigest}}`
export const pendingSeconds = 15 * 60
export const lateSeconds = 15 * 60

/** A count of requests in one window: as long as the window. */
export const rateKey = (rule: string, who: string) => `onboarding:rate:${rule}:{${who}}`

/** The same, added up from what processes counted: behind `rate:` and before the visitor, for two windows. */
export const sharedRateName = (rule: string) => `onboarding:${rule}`

/** A session of the support console: as long as somebody may be idle. The library puts its id behind the prefix. */
export const consoleSessionPrefix = 'onboarding:console:session:'

/** What the issuer gave for a session, sealed: as long as the longest session. */
export const consoleGrantKey = (sessionDigest: string) => `onboarding:console:grant:{${sessionDigest}}`

/** Which sessions somebody has: as long as the longest of them can be. */
export const consoleIndexKey = (subjectDigest: string) => `onboarding:console:sessions:{${subjectDigest}}`

/** A form that was sent in a session: as long as the longest session. */
export const consoleFormKey = (formDigest: string) => `onboarding:console:form:{${formDigest}}`
