import { acceptedValue, labelIn } from '../../../contract/integrations/address-template.ts'
import { filledProfile } from '../../../contract/integrations/filled-profile.ts'
import type { Integration, Profile } from '../integration.ts'
import type { Config } from '../link.ts'

export const filledFor = (integration: Integration, config: Config): Integration => filledProfile(integration, config)

/** The inputs that the connect page asks for. */
export const askedInputs = ({ inputs }: Pick<Profile, 'inputs'>, known: Config) =>
  Object.entries(inputs).filter(([name, rule]) => !Object.hasOwn(known, name) && rule.default === undefined)

type InputProblem = { name: string; detail: string }

type Pasted = Partial<Pick<Integration, 'issuer' | 'endpoints' | 'apiHosts' | 'realAddresses'>>

/** Addresses of an app, which may have gaps for inputs. */
export const addressesOf = ({ issuer = '', endpoints, apiHosts = [] }: Pasted): string[] => [
  issuer,
  ...Object.values(endpoints ?? {}).filter((value) => typeof value === 'string'),
  ...apiHosts.map((host) => `https://${host}`),
]

/** Users may paste the whole address, of which only a part is needed. */
export function readInputs(
  { inputs, realAddresses, ...own }: Pick<Profile, 'inputs'> & Pasted,
  given: Readonly<Record<string, unknown>>,
): { config: Config; problems: InputProblem[] } {
  const addresses = realAddresses ?? addressesOf(own)
  const cut = (name: string, { as }: Profile['inputs'][string]) => {
    const text = given[name]
    if (typeof text !== 'string') return text
    if (as === 'host') return /^[^:]+\//.test(text) ? `https://${text.trim()}` : text
    return as === 'label' ? (labelIn(text, name, addresses) ?? text) : text
  }
  const read = Object.entries(inputs).map(([name, rule]) => ({
    name,
    rule,
    value: acceptedValue(rule, cut(name, rule)),
  }))
  return {
    config: Object.fromEntries(read.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    problems: read.flatMap(({ name, rule, value }) => {
      if (value !== undefined) return []
      const isEmpty = given[name] === undefined || given[name] === ''
      return [{ name, detail: isEmpty ? 'is required' : wrongInput(rule) }]
    }),
  }
}

const wrongInput = ({ example }: { example?: string | undefined }) =>
  example === undefined ? 'is not valid' : `is not valid, ${example} for example`

export const typedValues = ({ inputs }: Pick<Profile, 'inputs'>, config: Config): Config =>
  Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(inputs, name)))

export function callbackValues(
  profile: Pick<Profile, 'inputs' | 'keep'>,
  typed: Config,
  query: Config,
): Config | undefined {
  const found: Record<string, string> = {}
  for (const [name, rule] of Object.entries(profile.keep.fromCallback)) {
    const value = acceptedValue(rule, query[rule.parameter ?? name])
    if (value === undefined) {
      if (rule.optional && query[rule.parameter ?? name] === undefined) continue
      return undefined
    }
    if (typed[name] !== undefined && typed[name] !== value) return undefined
    found[name] = value
  }
  return { ...typed, ...found }
}

export function importedConfig(
  profile: Pick<Profile, 'inputs' | 'keep'>,
  given: Config,
): { config: Config; isComplete: boolean } {
  const { config: typed, problems } = readInputs(profile, given)
  const found: Record<string, string> = { ...typed }
  let isComplete = problems.length === 0
  const { fromCallback, fromAnswer } = profile.keep
  for (const [name, rule] of [...Object.entries(fromCallback), ...Object.entries(fromAnswer)]) {
    const value = acceptedValue(rule, given[name])
    if (value !== undefined) found[name] = value
    else if (given[name] !== undefined || (Object.hasOwn(fromCallback, name) && !rule.optional)) isComplete = false
  }
  const names = [profile.inputs, fromCallback, fromAnswer].flatMap((rules) => Object.keys(rules))
  return { config: found, isComplete: isComplete && Object.keys(given).every((name) => names.includes(name)) }
}
