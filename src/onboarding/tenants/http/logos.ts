import { z } from 'zod'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { colorSchemes, maxFileBytes } from '../../domain/branding/logo.ts'
import { missing } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { route } from '../../http/route.ts'
import { Id } from '../../http/schemas.ts'
import { deleteLogo, putLogo, readLogo } from '../flows/manage-logos.ts'
import { LogoAnswer, logoAnswer } from './branding.ts'

/** Base64 is a third longer than the file. */
const maxImageLength = Math.ceil(maxFileBytes / 3) * 4

const LogoBody = z
  .strictObject({
    image: z
      .string()
      .min(1)
      .max(maxImageLength, `must have at most ${maxFileBytes / 1024} kB`)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be the file in base64, without a data URL prefix')
      .meta({
        description:
          'The base64-encoded file: PNG, JPEG or WebP with at most 512 kB, at most 4 million pixels, at least 20 pixels per side, and an aspect ratio of at most 8:1. SVG is not accepted.',
      }),
  })
  .meta({
    id: 'LogoRequest',
    description: 'An image. Only its pixels are stored.',
    examples: [
      {
        image:
          'iVBORw0KGgoAAAANSUhEUgAAABQAAAAUCAIAAAAC64paAAAAG0lEQVR4nGOQzygkGzGMah7VPKp5VPOwlawAAB1x0gGfLbSUAAAAAElFTkSuQmCC',
      },
    ],
  })

const tag = 'Tenants'
const params = {
  tenantId: Id,
  colorScheme: z.enum(colorSchemes).meta({ description: 'The color scheme of the pages that show the logo.' }),
}

export const logoRoutes = [
  route({
    method: 'put',
    path: '/tenants/{tenantId}/logos/{colorScheme}',
    operationId: 'putLogo',
    client: 'tenants.putLogo',
    clientNote: '`image` is a PNG, JPEG or WebP file in base64.',
    summary: 'Create or replace a tenant logo',
    description:
      "The logo replaces the tenant's name at the top of the pages that end users see. A transparent or white margin is trimmed. The image is scaled down to at most 400 by 80 pixels and re-encoded without metadata. Only the first frame of an animation is used. Requires a deployment key.",
    tag,
    params,
    body: LogoBody,
    answers: { 200: LogoAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId: id, colorScheme: scheme }, body: { image } }) => {
      const { logos } = await putLogo(ports, { caller, actor, id, scheme, file: Buffer.from(image, 'base64') })
      const logo = logos[scheme]
      if (!logo) throw new Error('the logo was just set')
      return { status: 200, body: logoAnswer(logo) }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{tenantId}/logos/{colorScheme}',
    operationId: 'deleteLogo',
    client: 'tenants.deleteLogo',
    summary: 'Delete a tenant logo',
    description: "Pages show the tenant's name instead. Requires a deployment key.",
    tag,
    params,
    answers: { 204: undefined },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId: id, colorScheme: scheme } }) => {
      await deleteLogo(ports, { caller, actor, id, scheme })
      return { status: 204 }
    },
  }),
]

/** The URL contains the digest of the picture, so caches may keep it forever. */
export const logoPages = (ports: Ports) =>
  exactRouter().get('/logos/:name', async (req, res) => {
    const [, digest] = /^([0-9a-f]{64})\.png$/.exec(req.params.name) ?? []
    if (digest === undefined) throw missing('logo')
    const png = await readLogo(ports, digest)
    res.type('png').setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.send(png)
  })
