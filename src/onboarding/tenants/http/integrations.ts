import { z } from 'zod'
import { categories, integrationKinds, tiers } from '../../domain/catalogue/catalogue-item.ts'
import { route } from '../../http/route.ts'
import { after, limit, listAnswer, listOf } from '../../http/schemas.ts'
import { type AvailableIntegration, listIntegrations } from '../flows/browse-catalogue.ts'

const category = z.enum(categories).meta({ description: 'The category of the app.' })
const tier = z.enum(tiers).meta({
  description:
    "`verified`: checked against the vendor's documentation within a year. `corroborated`: two independent sources agree. `listed`: one source; links are only possible after the operator adds it to the integrations file.",
})

const IntegrationListQuery = z.strictObject({
  q: z.string().trim().max(100).optional().meta({
    description:
      'Searches the name, other names, vendor and description, best match first. If nothing matches, similar spellings are found.',
  }),
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
    permissions: z.array(
      z.strictObject({
        scope: z.string(),
        description: z.string(),
        onRequest: z
          .literal(true)
          .optional()
          .meta({ description: 'Requested only if a session names it in `scopes`. The user may decline it.' }),
      }),
    ),
    inputs: z
      .array(
        z.strictObject({
          name: z.string(),
          label: z.string(),
          help: z.string().optional().meta({ description: 'A hint that helps the user find the value.' }),
          pattern: z.string().meta({ description: 'A regular expression that must match the whole value.' }),
          default: z
            .string()
            .optional()
            .meta({ description: 'Used unless you send another value. The user is not asked.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'Values that are required before the user can sign in, such as a subdomain. Send them as `inputs` of a connect session; otherwise the connect page asks the user, unless there is a default.',
      }),
    category: category.optional().meta({ description: 'Absent if the deployment defines the integration.' }),
    tier: tier.optional(),
    asOf: z.iso.date().optional().meta({ description: 'The date when the data was last checked.' }),
    available: z
      .boolean()
      .meta({ description: 'Whether a link can be started: an OAuth client is configured or can be registered.' }),
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
  Object.entries(inputs).map(([name, { label, help, pattern, ...rule }]) => ({
    name,
    label,
    ...(help && { help }),
    pattern,
    ...(rule.default !== undefined && { default: rule.default }),
  }))

const integrationAnswer = ({ item, tier, available }: AvailableIntegration) => ({
  id: item.id,
  kind: item.kind,
  displayName: item.displayName,
  description: item.description,
  permissions: [
    ...item.scopes.map(({ name, description = '' }) => ({ scope: name, description })),
    ...item.optionalScopes.map(({ name, description = '' }) => ({
      scope: name,
      description,
      onRequest: true as const,
    })),
  ],
  ...(Object.keys(item.inputs).length > 0 && { inputs: inputsOf(item.inputs) }),
  ...(item.about && { category: item.about.category, tier, asOf: item.about.asOf }),
  available,
})

export const integrationRoutes = [
  route({
    method: 'get',
    path: '/integrations',
    operationId: 'listIntegrations',
    client: 'integrations.list',
    summary: 'List integrations',
    description: 'Lists the integrations that this deployment can link, and those that only need an OAuth client.',
    tag: 'Integrations',
    query: IntegrationListQuery,
    answers: { 200: listOf(IntegrationAnswer) },
    handle: async ({ ports, caller, query }) => {
      const page = await listIntegrations(ports, { caller, ...query })
      return { status: 200, body: listAnswer(page, integrationAnswer) }
    },
  }),
]
