/** The default is good behaviour. */
export type Switch<T> = {
  default: T
  /** The accepted values, for the guide and error messages. */
  values: string
  does: string
  /** Returns undefined for invalid values. */
  parse(text: string): T | undefined
}

/** The first value is the default. */
export const choice = <const V extends readonly [string, ...string[]]>(values: V, does: string): Switch<V[number]> => ({
  default: values[0] as V[number],
  values: values.join(', '),
  does,
  parse: (text) => (values.includes(text) ? (text as V[number]) : undefined),
})

const unitSeconds: Record<string, number> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 }

/** `90`, `15m`, `12h` or `7d`. */
export const seconds = <D extends number | undefined>(byDefault: D, does: string): Switch<number | D> => ({
  default: byDefault,
  values: 'a time such as 90, 15m, 12h or 7d',
  does,
  parse(text) {
    const [, digits, unit = ''] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
    return digits === undefined ? undefined : Number(digits) * (unitSeconds[unit] ?? 1)
  },
})

export const count = <D extends number | undefined>(byDefault: D, does: string): Switch<number | D> => ({
  default: byDefault,
  values: 'a number',
  does,
  parse: (text) => (/^\d{1,12}$/.test(text) ? Number(text) : undefined),
})

export const name = <D extends string | undefined>(byDefault: D, does: string): Switch<string | D> => ({
  default: byDefault,
  values: 'a name',
  does,
  parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
})
