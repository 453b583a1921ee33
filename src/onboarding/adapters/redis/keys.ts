/** A pending authorization: twice the time limit at the provider, to distinguish late callbacks from unknown ones. */
export const pendingKey = (stateDigest: string) => `onboarding:authorization:{${stateDigest}}`
export const pendingSeconds = 15 * 60
export const lateSeconds = 15 * 60

/** `sent` outlives the authorization, which a reload could replay. `grant` outlives any outage of the ledger. */
export const markKey = (register: string, subject: string) => `onboarding:${register}:{${subject}}`
export const markSeconds = { sent: pendingSeconds + lateSeconds, grant: 7 * 24 * 60 * 60 }

export const clientVerdictKey = (client: string) => `onboarding:client-verdict:{${client}}`

export const rateKey = (rule: string, who: string) => `onboarding:rate:${rule}:{${who}}`

/** The sum over all processes; lives for two windows. */
export const sharedRateName = (rule: string) => `onboarding:${rule}`

/** Lives for the max idle time. The library appends the session ID. */
export const consoleSessionPrefix = 'onboarding:console:session:'

/** The sealed refresh token of a session; lives for the max session age. */
export const consoleGrantKey = (sessionDigest: string) => `onboarding:console:grant:{${sessionDigest}}`

/** The sessions of a user; lives for the max session age. */
export const consoleIndexKey = (subjectDigest: string) => `onboarding:console:sessions:{${subjectDigest}}`

export const consoleFormKey = (formDigest: string) => `onboarding:console:form:{${formDigest}}`
