export type RateRule = {
  name: string
  most: number
  windowSeconds: number
  /** What is under way may go on while nothing can be counted; nothing new begins then. */
  uncounted: 'allowed' | 'refused'
  /** `nearly`: each process counts for itself, and they add up a few times a second; no request waits for that. */
  counted?: 'exactly' | 'nearly'
}

export type Rates = Record<
  | 'api'
  | 'apiOfDeployment'
  | 'mint'
  | 'send'
  | 'campaign'
  | 'check'
  | 'browser'
  | 'reading'
  | 'complete'
  | 'failedKey'
  | 'signIn',
  RateRule
>

/** One key of the deployment speaks for many tenants. */
const tenantsOfOneKey = 10

export const ratesOf = (most: { api: number; mint: number; browser: number; signIns: number }): Rates => ({
  /** All requests of a tenant's keys together: one in a loop must not take the program from the others. */
  api: { name: 'api', most: most.api, windowSeconds: 60, uncounted: 'allowed', counted: 'nearly' },
  apiOfDeployment: {
    name: 'api-of-deployment',
    most: most.api * tenantsOfOneKey,
    windowSeconds: 60,
    uncounted: 'allowed',
    counted: 'nearly',
  },
  mint: { name: 'mint', most: most.mint, windowSeconds: 60, uncounted: 'refused' },
  /** Messages that a tenant has us send to an address of its choice: it must not be made a flood for somebody else. */
  send: { name: 'send', most: 120, windowSeconds: 60, uncounted: 'refused' },
  campaign: { name: 'campaign', most: 10, windowSeconds: 60, uncounted: 'refused' },
  /** Each asks the provider or the function for something. */
  check: { name: 'check', most: 10, windowSeconds: 60, uncounted: 'allowed' },
  browser: { name: 'browser', most: most.browser, windowSeconds: 60, uncounted: 'allowed', counted: 'nearly' },
  /** Pages that anybody may read: more of them than of a link's, and each costs some milliseconds to draw. */
  reading: { name: 'reading', most: most.browser * 10, windowSeconds: 60, uncounted: 'allowed', counted: 'nearly' },
  complete: { name: 'complete', most: 10, windowSeconds: 60, uncounted: 'allowed' },
  signIn: { name: 'sign-in', most: most.signIns, windowSeconds: 900, uncounted: 'refused' },
  failedKey: { name: 'failed-key', most: 20, windowSeconds: 60, uncounted: 'allowed' },
})
