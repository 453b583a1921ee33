import { pointer, type SecretPosition } from './masking.ts'
import type { Document } from './resource.ts'

type Env = { name: string; secret?: boolean }
type Trigger = { id?: string; type: string; configuration?: { callbackUrl?: string; callbackSecret?: string } }

export function workloadSecrets(spec: Document): SecretPosition[] {
  const { envs = [] } = (spec.runtime ?? {}) as { envs?: Env[] }
  const triggers = (spec.triggers ?? []) as Trigger[]
  const variables = envs.flatMap(({ name, secret }, at) =>
    secret ? [{ pointer: pointer('runtime', 'envs', String(at), 'value'), owner: pointer('env', name) }] : [],
  )
  const callbacks = triggers.flatMap(({ id, type, configuration }, at) =>
    configuration?.callbackSecret === undefined
      ? []
      : [{ pointer: secretOf(at), owner: pointer('trigger', id ?? '', type) }],
  )
  return [...numbered(variables), ...numbered(callbacks)]
}

/** Callbacks are always signed: a missing secret is generated. */
export const missingCallbackSecrets = (spec: Document): string[] =>
  ((spec.triggers ?? []) as Trigger[]).flatMap(({ configuration }, at) =>
    configuration?.callbackUrl && !configuration.callbackSecret ? [secretOf(at)] : [],
  )

const secretOf = (trigger: number) => pointer('triggers', String(trigger), 'configuration', 'callbackSecret')

/** Entries with the same name are matched by order. */
function numbered(positions: readonly SecretPosition[]): SecretPosition[] {
  const seen = new Map<string, number>()
  return positions.map(({ pointer, owner }) => {
    const count = seen.get(owner) ?? 0
    seen.set(owner, count + 1)
    return { pointer, owner: `${owner}/${count}` }
  })
}
