import { z } from 'zod'
import { categories, integrationKinds, tiers } from '../../domain/catalogue/catalogue-item.ts'
import { route } from '../../http/route.ts'
import { after, limit, listAnswer, listOf } from '../../http/schemas.ts'
import type { AvailableIntegration } from '../flows/list-integrations.ts'
import type { TenantFlows } from '../flows/tenant-flows.ts'

const category = z.enum(categories).meta({ description: 'What the app is for.' })
const tier = z.enum(tiers).meta({
  description:
    '`verified`: a page of the vendor was read within a year. `corroborated`: two independent sources agree. `listed`: one source, by which no link starts until the operator has taken it into the integrations file.',
})

const IntegrationListQuery = z.strictObject({
  q: z.string().trim().max(100).optional().meta({ description: 'Words of its name, its vendor or what it does.' }),
  category: category.optional(),
  tier: tier.optional(),
  available: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Whether a link can be started.' }),
  cursor: after(/^[a-z0-9-]{1,32}$/),
  limit,
})

const IntegrationAnswer = z
  .strictObject({
    id: z.string(),
    kind: z.enum(integrationKinds).meta({
      description: "`mcp`: the vendor's own MCP server, which functions forward to. `api`: tools at its API.",
    }),
    displayName: z.string(),
    description: z.string(),
    permissions: z.array(z.strictObject({ scope: z.string(), description: z.string() })),
    inputs: z
      .array(
        z.strictObject({
          name: z.string(),
          label: z.string(),
          help: z.string().optional().meta({ description: 'A sentence that helps the user to find it.' }),
          pattern: z.string().meta({ description: 'The regular expression that the whole value matches.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'Values that are needed before the user can sign in, such as a subdomain. Send them as `inputs` of a connect session, or the connect page asks the user.',
      }),
    category: category.optional().meta({ description: "Absent for one of this deployment's own." }),
    tier: tier.optional(),
    asOf: z.iso.date().optional().meta({ description: 'The day on which its facts were read.' }),
    available: z
      .boolean()
      .meta({ description: 'Whether a link can be started: an OAuth client is configured, or can be registered.' }),
  })
  .meta({
    id: 'Integration',
    description: 'A third-party app that can be linked.',
    examples: [
      {
        id: 'gmail',
        kind: 'api',
        displayName: 'Gmail',
        description: 'Read, search and send mail.',
        permissions: [{ scope: 'email', description: 'See your email address' }],
        category: 'mail',
        tier: 'verified',
        asOf: '2026-11-16',
        available: true,
      },
    ],
  })

const inputsOf = (inputs: AvailableIntegration['item']['inputs']) =>
  Object.entries(inputs).map(([name, { label, help, pattern }]) => ({ name, label, ...(help && { help }), pattern }))

const integrationAnswer = ({ item, tier, available }: AvailableIntegration) => ({
  id: item.id,
  kind: item.kind,
  displayName: item.displayName,
  description: item.description,
  permissions: item.scopes.map(({ name, description = '' }) => ({ scope: name, description })),
  ...(Object.keys(item.inputs).length > 0 && { inputs: inputsOf(item.inputs) }),
  ...(item.about && { category: item.about.category, tier, asOf: item.about.asOf }),
  available,
})

export const integrationRoutes = (flows: Pick<TenantFlows, 'listIntegrations'>) => [
  route({
    method: 'get',
    path: '/integrations',
    operationId: 'listIntegrations',
    summary: 'List integrations',
    description: 'The catalogue: what this deployment can link, and what it could link with an OAuth client.',
    tag: 'Integrations',
    query: IntegrationListQuery,
    answers: { 200: listOf(IntegrationAnswer) },
    handle: async ({ caller, query }) => {
      const page = await flows.listIntegrations({ caller, ...query })
      return { status: 200, body: listAnswer(page, integrationAnswer) }
    },
  }),
]
