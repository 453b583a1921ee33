// Every key this program writes to Redis, and how long it lives.

/** An authorization under way: as long as a person may take at the provider, and as long again to tell late from unknown. */
export const pendingKey = (stateDigest: string) => `onboarding:authorization:{${stateDigest}}`
export const pendingSeconds = 15 * 60
export const lateSeconds = 15 * 60

/** A count of requests in one window: as long as the window. */
export const rateKey = (rule: string, who: string) => `onboarding:rate:${rule}:{${who}}`
