import { pointer } from './masking.ts'
import type { Document } from './resource.ts'

/** Where a workload keeps secrets: marked variables, and what signs callbacks. */
export function workloadSecrets(spec: Document): string[] {
  const runtime = (spec.runtime ?? {}) as { envs?: Array<{ secret?: boolean }> }
  const triggers = (spec.triggers ?? []) as Array<{ configuration?: { callbackSecret?: string } }>
  return [
    ...(runtime.envs ?? []).flatMap((env, at) => (env.secret ? [pointer('runtime', 'envs', String(at), 'value')] : [])),
    ...triggers.flatMap(({ configuration }, at) =>
      configuration?.callbackSecret === undefined
        ? []
        : [pointer('triggers', String(at), 'configuration', 'callbackSecret')],
    ),
  ]
}
