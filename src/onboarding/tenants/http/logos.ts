import { z } from 'zod'
import { colorSchemes, largestFileBytes } from '../../domain/branding/logo.ts'
import { route } from '../../http/route.ts'
import { Id } from '../../http/schemas.ts'
import type { TenantFlows } from '../flows/tenant-flows.ts'
import { LogoAnswer, logoAnswer } from './branding.ts'

/** A text in base64 is a third longer than its file. */
const longestImage = Math.ceil(largestFileBytes / 3) * 4

const LogoBody = z
  .strictObject({
    image: z
      .string()
      .min(1)
      .max(longestImage, `must have at most ${largestFileBytes / 1024} kB`)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be the file in base64, without a prefix')
      .meta({
        description:
          'The file in base64: PNG, JPEG or WebP, at most 512 kB and 4 million pixels, at least 20 pixels wide and high, and not more than eight times as long in one direction as in the other. SVG is not accepted.',
      }),
  })
  .meta({
    id: 'LogoRequest',
    description: 'An image. Only its pixels are kept.',
    examples: [
      {
        image:
          'iVBORw0KGgoAAAANSUhEUgAAABQAAAAUCAIAAAAC64paAAAAG0lEQVR4nGOQzygkGzGMah7VPKp5VPOwlawAAB1x0gGfLbSUAAAAAElFTkSuQmCC',
      },
    ],
  })

type Needs = Pick<TenantFlows, 'putLogo' | 'deleteLogo'>

const tag = 'Tenants'
const params = {
  tenantId: Id,
  colorScheme: z.enum(colorSchemes).meta({ description: 'Which pages it is for: `light` or `dark` ones.' }),
}

export const logoRoutes = (flows: Needs) => [
  route({
    method: 'put',
    path: '/tenants/{tenantId}/logos/{colorScheme}',
    operationId: 'putLogo',
    summary: 'Create or replace a logo of a tenant',
    description:
      'It is at the top of the pages that its users see, in the place of its name. A picture is made from the file, of 400 by 80 pixels at most and without anything else that is in it; of an animation, the first frame. Only for keys of the deployment.',
    tag,
    params,
    body: LogoBody,
    answers: { 200: LogoAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { tenantId: id, colorScheme: scheme }, body: { image } }) => {
      const { logos } = await flows.putLogo({ caller, actor, id, scheme, file: Buffer.from(image, 'base64') })
      const logo = logos[scheme]
      if (!logo) throw new Error('what was just set is there')
      return { status: 200, body: logoAnswer(logo) }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{tenantId}/logos/{colorScheme}',
    operationId: 'deleteLogo',
    summary: 'Delete a logo of a tenant',
    description: 'Without a logo, its name is at the top of the pages. Only for keys of the deployment.',
    tag,
    params,
    answers: { 204: undefined },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { tenantId: id, colorScheme: scheme } }) => {
      await flows.deleteLogo({ caller, actor, id, scheme })
      return { status: 204 }
    },
  }),
]
