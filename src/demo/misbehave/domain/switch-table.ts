import type { Switch } from './switch.ts'
import {
  authorizationSwitches,
  grantSwitches,
  mannerSwitches,
  registrationSwitches,
  tokenSwitches,
} from './switches.ts'

export const switchGroups = {
  'The app': registrationSwitches,
  'Authorization and callback': authorizationSwitches,
  'Token endpoint': tokenSwitches,
  'Grants and accounts': grantSwitches,
  'Manners and revocation': mannerSwitches,
}

const table = {
  ...registrationSwitches,
  ...authorizationSwitches,
  ...tokenSwitches,
  ...grantSwitches,
  ...mannerSwitches,
}

type Table = typeof table
export type Switches = { [K in keyof Table]: Table[K] extends Switch<infer T> ? T : never }

const entries = Object.entries(table) as Array<[keyof Switches, Switch<unknown>]>

export const goodBehaviour = (): Switches =>
  Object.fromEntries(entries.map(([name, { default: value }]) => [name, value])) as Switches

export class SwitchUnknown extends Error {}

/** Throws SwitchUnknown: a test must not pass because of a typo. */
function parseSwitch(name: string, value: string): Partial<Switches> {
  const found = Object.hasOwn(table, name) ? (table as Record<string, Switch<unknown>>)[name] : undefined
  if (!found) throw new SwitchUnknown(`There is no switch "${name}".`)
  const parsed = found.parse(value)
  if (parsed === undefined) throw new SwitchUnknown(`"${name}" must be ${found.values}; it is "${value}".`)
  return { [name]: parsed }
}

export const parseSwitches = (given: ReadonlyArray<readonly [name: string, value: string]>): Partial<Switches> =>
  Object.assign({}, ...given.map(([name, value]) => parseSwitch(name, value)))

/** Switches that differ from their defaults, in the form of an address. */
export const changedSwitches = (switches: Switches): Record<string, string> =>
  Object.fromEntries(
    entries
      .filter(([name, { default: value }]) => switches[name] !== value)
      .map(([name]) => [name, String(switches[name])]),
  )
