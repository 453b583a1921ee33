export type RateRule = {
  name: string
  most: number
  windowSeconds: number
  /** What is under way may go on while nothing can be counted; nothing new begins then. */
  uncounted: 'allowed' | 'refused'
}

export type Rates = { mint: RateRule; browser: RateRule; complete: RateRule; failedKey: RateRule }

export const ratesOf = (perMinute: { mint: number; browser: number }): Rates => ({
  mint: { name: 'mint', most: perMinute.mint, windowSeconds: 60, uncounted: 'refused' },
  browser: { name: 'browser', most: perMinute.browser, windowSeconds: 60, uncounted: 'allowed' },
  complete: { name: 'complete', most: 10, windowSeconds: 60, uncounted: 'allowed' },
  failedKey: { name: 'failed-key', most: 20, windowSeconds: 60, uncounted: 'allowed' },
})
