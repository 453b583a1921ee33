// The shape of INTEGRATIONS_FILE: how a deployment names its OAuth clients and adds providers of its own, as data.
import { z } from 'zod'
import { Secret } from '../../kit/crypto/secret.ts'
import { type HealthProfile, reservedAuthorizationParameters } from '../domain/integration.ts'
import { type ConfiguredIntegration, shippedProfiles } from './catalogue.ts'
import { profile } from './profile.ts'
import { profileProblems } from './profile-problems.ts'

const integrationId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be lowercase letters, digits and hyphens, at most 32')

const address = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' })

const parameters = z
  .record(z.string(), z.string())
  .refine(
    (given) => !Object.keys(given).some((name) => reservedAuthorizationParameters.includes(name)),
    `must not set ${reservedAuthorizationParameters.join(', ')}`,
  )

const Scope = z.strictObject({
  name: z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope'),
  description: z.string().max(200).optional(),
  optional: z.boolean().optional(),
})

const Client = {
  clientId: z.string().min(1).max(500),
  clientSecret: z
    .string()
    .min(1)
    .max(2_000)
    .transform((secret) => new Secret(secret))
    .optional(),
}

const Overrides = {
  displayName: z.string().min(1).max(63).optional(),
  description: z.string().max(200).optional(),
  scopes: z.array(Scope).min(1).optional(),
  authorizationParameters: parameters.optional(),
  forceConsentParameters: parameters.optional(),
  otherAccountParameters: parameters.optional(),
  revocationReach: z.enum(['token', 'grant']).optional(),
  rotatesRefreshTokens: z.boolean().optional(),
  health: z
    .strictObject({
      by: z.enum(['function', 'refresh']).optional(),
      tool: z.string().min(1).max(64).optional(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      everySeconds: z.int().min(60).optional(),
    })
    .optional(),
}

/** `{ "profile": "gmail", "clientId": …, "clientSecret": … }` */
const Shipped = z
  .strictObject({
    profile: z.enum(shippedProfiles.map(({ id }) => id)),
    id: integrationId.optional(),
    ...Client,
    ...Overrides,
  })
  .transform(({ profile: name, clientId, clientSecret, ...overrides }): ConfiguredIntegration => {
    const base = shippedProfiles.find(({ id }) => id === name)
    if (!base) throw new Error('the schema lists the shipped profiles')
    const { health, ...others } = given(overrides)
    // Who only changes the pace still wants the shipped tool.
    const profile = { ...base, ...others, health: { ...base.health, ...given(health ?? {}) } }
    return { profile, client: { id: clientId, secret: clientSecret } }
  })

/** Any other provider: an issuer to discover, or its endpoints. */
const Own = z
  .strictObject({
    id: integrationId,
    ...Client,
    ...Overrides,
    displayName: z.string().min(1).max(63),
    scopes: z.array(Scope).min(1),
    issuer: address.optional(),
    endpoints: z
      .strictObject({
        authorization: address,
        token: address,
        userinfo: address.optional(),
        revocation: address.optional(),
        jwks: address.optional(),
      })
      .optional(),
    scopeSeparator: z.enum([' ', ',']).optional(),
    clientAuthentication: z.enum(['client_secret_post', 'client_secret_basic', 'none']).optional(),
    issuerInCallback: z.boolean().optional(),
    account: z
      .strictObject({
        from: z.enum(['id_token', 'userinfo', 'token_response', 'none']),
        id: z.string().default('sub'),
        label: z.string().default('email'),
      })
      .optional(),
    tokenAnswer: z
      .strictObject({ successMember: z.string().optional(), anyTokenType: z.boolean().optional() })
      .optional(),
  })
  .refine(({ issuer, endpoints }) => issuer ?? endpoints, 'needs an issuer or endpoints')
  .refine(({ health, rotatesRefreshTokens }) => health?.by !== 'refresh' || rotatesRefreshTokens !== undefined, {
    path: ['rotatesRefreshTokens'],
    error: 'must be said where a health check refreshes: a token that rotates may have one user only',
  })
  .transform(
    ({ clientId, clientSecret, description = '', health, ...data }): ConfiguredIntegration => ({
      profile: profile({
        ...given(data),
        health: { ...health, by: health?.by ?? triedBy(health?.tool, data.rotatesRefreshTokens) },
        id: data.id,
        displayName: data.displayName,
        scopes: data.scopes,
        description,
      }),
      client: { id: clientId, secret: clientSecret },
    }),
  )

/**
 * To list a function's tools says nothing about the grant. Without a tool it is tried by refreshing it, where that is
 * known to be safe: a token that rotates may have one user only.
 */
const triedBy = (tool: string | undefined, rotates: boolean | undefined): HealthProfile['by'] =>
  tool === undefined && rotates === false ? 'refresh' : 'function'

/** Members that were not written must not overwrite a default. */
const given = <T extends object>(data: T) =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }

/** Told apart by hand: a union would answer a slip in one member with the mistakes of every alternative. */
const Entry = z.record(z.string(), z.unknown()).transform((entry, context): ConfiguredIntegration => {
  const parsed = ('profile' in entry ? Shipped : Own).safeParse(entry)
  const problems = parsed.success ? profileProblems(parsed.data.profile) : parsed.error.issues
  for (const { path, message } of problems) context.addIssue({ code: 'custom', path: [...path], message })
  return parsed.data ?? z.NEVER
})

/** The later of two with one id would silently take the place of the other. */
function rejectTwins(integrations: ConfiguredIntegration[], context: z.core.$RefinementCtx) {
  const ids = integrations.map(({ profile: { id } }) => id)
  for (const [at, id] of ids.entries()) {
    if (ids.indexOf(id) < at) context.addIssue({ code: 'custom', path: [at, 'id'], message: 'is taken by one before' })
  }
}

export const IntegrationsFile = z
  .strictObject({ integrations: z.array(Entry).superRefine(rejectTwins) })
  .transform(({ integrations }) => integrations)
