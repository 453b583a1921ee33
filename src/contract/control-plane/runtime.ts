import { z } from 'zod'
import { JsonValue, maskedSecret, ResourceName } from '../resource.ts'
import { ImageReference } from './image-reference.ts'

const Text = z.string().max(1_024)
const Count = z.int().min(0).max(1_000_000_000)

/** A mask sent back as a plain value would overwrite the secret. */
export const Env = z
  .object({
    name: z.string().min(1).max(256),
    value: z.string().max(32_768).default(''),
    secret: z.boolean().default(false),
  })
  .refine(({ value, secret }) => secret || value !== maskedSecret, {
    path: ['value'],
    error: 'is a mask: send the value, or secret: true to keep the stored one',
  })

export const Port = z.object({
  target: z.int().min(1).max(65_535),
  name: Text.optional(),
  protocol: z.enum(['HTTP', 'TCP', 'UDP', 'TLS']).default('HTTP'),
})

export const Runtime = z.object({
  type: Text.optional(),
  diskPercent: z.int().min(10).max(95).default(50),
  envs: z.array(Env).max(200).default([]),
  generation: z.enum(['mk2', 'mk3']).default('mk3'),
  image: ImageReference.optional(),
  /** The provider's model name, for a model without an image. `type` names the provider. */
  model: Text.optional(),
  maxRetries: z.int().min(0).max(100).default(0),
  /** Containers of an agent or a model: at least, and at most under load. */
  minScale: z.int().min(0).max(1_000).optional(),
  maxScale: z.int().min(1).max(1_000).optional(),
  memory: z.int().min(1).max(1_048_576).default(2_048),
  ports: z.array(Port).max(100).default([]),
  timeout: z.int().min(1).max(604_800).optional(),
})

export const Revision = z.object({
  active: Text.optional(),
  canary: Text.optional(),
  canaryPercent: z.int().min(0).max(100).optional(),
  stickySessionTtl: Count.optional(),
  traffic: z.int().min(0).max(100).optional(),
})

export const Trigger = z.object({
  id: Text.optional(),
  type: z.enum(['http', 'http-async', 'cron']),
  enabled: z.boolean().default(true),
  configuration: z
    .object({
      authenticationType: z.enum(['private', 'public']).optional(),
      callbackSecret: Text.optional(),
      callbackUrl: z
        .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
        .max(2_048)
        .optional(),
      path: Text.optional(),
      retry: z.int().min(0).max(100).optional(),
      schedule: Text.optional(),
      tasks: z.array(z.record(z.string(), JsonValue)).max(1_000).optional(),
      timeout: Count.optional(),
    })
    .prefault({}),
})

export const WorkloadSpec = z.object({
  enabled: z.boolean().default(true),
  region: Text.optional(),
  policies: z.array(ResourceName).max(50).default([]),
  revision: Revision.optional(),
  runtime: Runtime.prefault({}),
  triggers: z.array(Trigger).max(50).default([]),
})

export const IntegrationConnections = z.array(ResourceName).max(16).default([])

/** Limits of the file system. A longer path would make the whole sandbox fail. */
const isFolderPath = (path: string): boolean => {
  const steps = path.split('/').filter((step) => step !== '')
  return steps.length <= 64 && steps.every((step) => new TextEncoder().encode(step).length <= 255)
}

/** Folders of the system in every sandbox. Only commands see them. */
export const systemFolders = 'bin dev etc lib lib32 lib64 libx32 proc run sbin usr'.split(' ')

const isOutsideSystem = (path: string): boolean =>
  !systemFolders.includes(path.split('/').find((step) => step !== '') ?? '')

export const FolderPath = z
  .string()
  .max(1_024)
  .regex(/^(?!\/*$)(?!([\s\S]*\/)?\.{1,2}(\/|$))[^\0\\]+$/, 'must be a folder below the root, without . or ..')
  .refine(isFolderPath, 'must have at most 64 segments of at most 255 bytes')
  .refine(isOutsideSystem, `must not be in a folder of the system: ${systemFolders.join(', ')}`)

export const StorageMount = z.object({
  name: ResourceName,
  mountPath: FolderPath,
  readOnly: z.boolean().default(false),
})

/** An empty folder of each task. By default it has 64 MB. */
export const TaskVolume = z.object({
  mountPath: Text.optional(),
  name: Text.optional(),
  sizeMb: Count.optional(),
  type: z.enum(['ephemeral']).optional(),
  readOnly: z.boolean().default(false),
})

export const Drives = z.array(StorageMount).max(50).default([])
