import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express'
import { z } from 'zod'
import type { ClientRegistration, OAuthError } from '../../../contract/identity/oauth.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { visitor, visitorNetwork } from '../../../kit/http/visitor.ts'
import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import { assertWithinLimit } from '../../shared/domain/limit.ts'
import { toFailure } from '../../shared/http/to-failure.ts'
import { ClientMetadata } from '../domain/client-registration.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { registerClient } from '../flows/register-client.ts'

type Limits = { registrations: RateLimit; networkRegistrations: RateLimit }

export function registrationRoutes(ports: IdentityPorts, limits: Limits): Router {
  const { registrations, networkRegistrations: ofNetwork } = limits
  const register: RequestHandler = async (req, res) => {
    const metadata = ClientMetadata.parse(req.body ?? {})
    const { clientId, name, issuedAt } = await registerClient(ports, metadata)
    const answer: ClientRegistration = {
      client_id: clientId,
      client_id_issued_at: Math.floor(issuedAt.getTime() / 1000),
      client_name: name,
      redirect_uris: metadata.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
    res.status(201).set('Cache-Control', 'no-store').json(answer)
  }
  const limited: RequestHandler = (req, _res, next) => {
    assertWithinLimit(registrations.take(visitor(req.ip)), registrations, 'registrations from one address')
    assertWithinLimit(ofNetwork.take(visitorNetwork(req.ip)), ofNetwork, 'registrations from one network')
    next()
  }
  return exactRouter().post('/oauth/register', limited, express.json({ limit: '16kb' }), register, refuse)
}

const refuse: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error)
  if (error instanceof z.ZodError) return void res.status(400).json(refusalOf(error))
  const { code, retryAfterSeconds, detail } = toFailure(error)
  if (code !== 'too_many_requests') return next(error)
  const body: OAuthError = { error: 'temporarily_unavailable', error_description: detail }
  res
    .set('Retry-After', String(retryAfterSeconds ?? 60))
    .status(429)
    .json(body)
}

function refusalOf({ issues: [first] }: z.ZodError): OAuthError {
  const isAboutRedirects = first?.path[0] === 'redirect_uris'
  return {
    error: isAboutRedirects ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    error_description: `${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`,
  }
}
