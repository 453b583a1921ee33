export type RateRule = {
  name: string
  max: number
  windowSeconds: number
  /** Without a counter, work in progress continues and new work is rejected. */
  uncounted: 'allowed' | 'refused'
  /** `nearly`: each process counts locally and syncs a few times a second, so requests do not wait. */
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

/** A key of the deployment acts for many tenants. */
const tenantsOfOneKey = 10

export const ratesOf = (max: { api: number; mint: number; browser: number; signIns: number }): Rates => ({
  /** All keys of a tenant together: one tenant must not starve the others. */
  api: { name: 'api', max: max.api, windowSeconds: 60, uncounted: 'allowed', counted: 'nearly' },
  apiOfDeployment: {
    name: 'api-of-deployment',
    max: max.api * tenantsOfOneKey,
    windowSeconds: 60,
    uncounted: 'allowed',
    counted: 'nearly',
  },
  mint: { name: 'mint', max: max.mint, windowSeconds: 60, uncounted: 'refused' },
  /** Deliveries to a URL of the tenant's choice must not become a flood for others. */
  send: { name: 'send', max: 120, windowSeconds: 60, uncounted: 'refused' },
  campaign: { name: 'campaign', max: 10, windowSeconds: 60, uncounted: 'refused' },
  check: { name: 'check', max: 10, windowSeconds: 60, uncounted: 'allowed' },
  browser: { name: 'browser', max: max.browser, windowSeconds: 60, uncounted: 'allowed', counted: 'nearly' },
  /** Public pages, which cost some milliseconds each. */
  reading: { name: 'reading', max: max.browser * 10, windowSeconds: 60, uncounted: 'allowed', counted: 'nearly' },
  complete: { name: 'complete', max: 10, windowSeconds: 60, uncounted: 'allowed' },
  signIn: { name: 'sign-in', max: max.signIns, windowSeconds: 900, uncounted: 'refused' },
  failedKey: { name: 'failed-key', max: 20, windowSeconds: 60, uncounted: 'allowed' },
})
