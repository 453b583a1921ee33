// Addresses at which a port of a sandbox is reached without a key of the platform.
import { z } from 'zod'
import { CoreEvent, DeploymentStatus, input, Metadata } from '../resource.ts'
import { Duration } from './duration.ts'

/** The port of the sandbox's own API. */
export const sandboxApiPort = 443

const HeaderValues = z
  .record(z.string().regex(/^[A-Za-z0-9-]{1,128}$/), z.string().regex(/^[\x20-\x7e]{0,4096}$/))
  .default({})

const PreviewSpec = z.object({
  port: z.int().min(1).max(65_535),
  /** Public previews need no token. */
  public: z.boolean().default(false),
  expires: z.iso.datetime({ offset: true }).optional(),
  ttl: Duration.optional(),
  /** The beginning of its host. */
  prefixUrl: z
    .string()
    .max(63)
    .toLowerCase()
    .regex(/^([a-z0-9]+(-+[a-z0-9]+)*)?$/, 'must be letters, digits and inner hyphens')
    .optional(),
  /** A verified custom domain of the workspace, or a host below one. */
  customDomain: z
    .string()
    .max(253)
    .toLowerCase()
    .regex(/^([a-z0-9-]+(\.[a-z0-9-]+)+)?$/, 'must be a domain name')
    .optional(),
  requestHeaders: HeaderValues,
  responseHeaders: HeaderValues,
})

export const PreviewInput = input(PreviewSpec)

const OfSandbox = Metadata.extend({ resourceName: z.string(), resourceType: z.literal('sandbox') })

export const Preview = z.object({
  metadata: OfSandbox,
  spec: PreviewSpec.extend({ url: z.url() }),
  events: z.array(CoreEvent),
  status: DeploymentStatus,
})
export type Preview = z.infer<typeof Preview>

const TokenSpec = z.object({ expiresAt: z.iso.datetime({ offset: true }).optional() })

export const PreviewTokenInput = input(TokenSpec)

export const PreviewToken = z.object({
  metadata: OfSandbox.extend({ previewName: z.string() }),
  spec: TokenSpec.extend({ token: z.string(), expired: z.boolean() }),
})
export type PreviewToken = z.infer<typeof PreviewToken>
