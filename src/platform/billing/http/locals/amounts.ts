import { billingDimensions, type Unit } from '../../../../contract/billing/metrics.ts'

const dollars = (digits: number) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })

const cents = dollars(2)

/** Amounts below one cent get as many digits as needed. */
export function money(usd: number): string {
  if (usd === 0 || usd >= 0.01) return cents.format(usd)
  return dollars(Math.min(12, 1 - Math.floor(Math.log10(usd)))).format(usd)
}

export function moneyBySteps(usd: number, step: number): string {
  const digits = Array.from({ length: 15 }, (_, n) => n).find((n) => isWhole(step * 10 ** n))
  return dollars(digits ?? 15).format(usd)
}

const isWhole = (number: number) => Math.abs(number - Math.round(number)) < 1e-6 && Math.round(number) > 0

const unitWords: Record<Unit, string> = { gbs: 'GB-seconds', count: 'requests', hours: 'hours' }

export const unitOf = (dimension: string): Unit | undefined =>
  Object.hasOwn(billingDimensions, dimension)
    ? billingDimensions[dimension as keyof typeof billingDimensions].unit
    : undefined

export function amount(usage: number, dimension: string): string {
  const unit = unitOf(dimension)
  const digits = usage >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 }
  const number = new Intl.NumberFormat('en-US', digits).format(usage)
  return unit ? `${number} ${unitWords[unit]}` : number
}

export const percent = (part: number, whole: number): string =>
  whole > 0 ? `${((100 * part) / whole).toFixed(part / whole < 0.1 ? 1 : 0)}%` : ''
