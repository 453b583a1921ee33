import { Secret } from '../../../kit/crypto/secret.ts'
import type { Trigger } from '../../shared/domain/callback.ts'
import { unmask } from '../domain/masking.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'
import { openSecrets, readableOnly } from '../domain/secrets.ts'
import { taskFolders } from '../domain/task-volumes.ts'
import { noteCallback } from './note-events.ts'

type Ports = Pick<ControlPlanePorts, 'resources' | 'scheduledWorkloads' | 'vault' | 'now'>

type Runtime = {
  image?: string
  memory: number
  maxRetries: number
  timeout?: number
  envs: Array<{ name: string; value: string; secret?: boolean }>
}

/** A name used for both a plain and a secret variable is secret. */
function plainNames(envs: Runtime['envs']): string[] {
  const secret = new Set(envs.flatMap((env) => (env.secret ? [env.name] : [])))
  return envs.map(({ name }) => name).filter((name) => !secret.has(name))
}

const defaultTimeoutSeconds = 900

export const serveJobs = ({ resources, scheduledWorkloads, vault, now }: Ports) => {
  const toJob = (found: Resource) => {
    const spec = unmask(found.spec, openSecrets(vault, found))
    const runtime = spec.runtime as Runtime
    return {
      uid: found.id,
      workspace: found.workspace,
      name: found.name,
      status: found.status ?? '',
      image: runtime.image ?? '',
      memoryMb: runtime.memory,
      maxRetries: runtime.maxRetries,
      timeoutSeconds: runtime.timeout ?? defaultTimeoutSeconds,
      envs: new Secret(Object.fromEntries(runtime.envs.map(({ name, value }) => [name, value]))),
      plainEnvs: plainNames(runtime.envs),
      functions: (spec.functions ?? []) as string[],
      temporary: taskFolders(spec),
      triggers: (spec.triggers ?? []) as Trigger[],
      updatedAt: found.updatedAt,
    }
  }
  return {
    async find(workspace: string, name: string) {
      const found = await resources.find({ workspace, kind: 'job', parent: '', name })
      return found && toJob(found)
    },
    noteCallback: noteCallback({ resources, now }, 'job'),
    withSchedules: async () => readableOnly(await scheduledWorkloads('job'), toJob),
  }
}
