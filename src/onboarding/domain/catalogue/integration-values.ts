// What a profile asks of the user before the authorization and keeps from answers, and the profile with that filled in.
import { acceptedValue } from '../../../contract/integrations/address-template.ts'
import { filledProfile } from '../../../contract/integrations/filled-profile.ts'
import type { Integration, Profile } from '../integration.ts'
import type { Config } from '../link.ts'

/** The integration for one account: its addresses are those of the account. */
export const filledFor = (integration: Integration, config: Config): Integration => filledProfile(integration, config)

export type InputProblem = { name: string; detail: string }

/** What was typed, as it is kept, and what is wrong with it. */
export function readInputs(
  { inputs }: Pick<Profile, 'inputs'>,
  given: Readonly<Record<string, unknown>>,
): { config: Config; problems: InputProblem[] } {
  const read = Object.entries(inputs).map(([name, rule]) => ({ name, rule, value: acceptedValue(rule, given[name]) }))
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

/** Inputs alone: a re-link asks for nothing that the connection knows, and keeps nothing else of it. */
export const typedValues = ({ inputs }: Pick<Profile, 'inputs'>, config: Config): Config =>
  Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(inputs, name)))

/** Undefined if the callback lacks what has to be kept of it, or contradicts what was typed. */
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

/**
 * What is known of an account whose grant is imported: what a user would have typed, and what would have come with the
 * callback or the token answer. The first refresh may still bring what an answer would have.
 */
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
