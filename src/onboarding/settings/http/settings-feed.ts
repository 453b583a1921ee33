import type { Request, Router } from 'express'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { visitor } from '../../../kit/http/visitor.ts'
import { Failure } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Rates } from '../../domain/rate-limit.ts'
import { settingsFeedPath } from '../../domain/settings-changes/settings-version.ts'
import { limitRate } from '../../flows/limit-rate.ts'

/** For the platform. Without a key there is no feed. */
export function settingsFeed(ports: Ports, rates: Rates, key: Secret | undefined): Router {
  const router = exactRouter()
  if (!key) return router
  return router.get(settingsFeedPath, async (req, res) => {
    if (!hasKey(ports, req, key)) {
      await limitRate(ports, rates.failedKey, visitor(req.ip))
      throw new Failure('credential_invalid', 'The key is not SETTINGS_KEY.')
    }
    const { text, tag } = await ports.followSettings()
    res.set({ ETag: tag, 'Cache-Control': 'no-store' })
    if (req.get('if-none-match') === tag) res.status(304).end()
    else res.type('json').send(text)
  })
}

const hasKey = ({ tokens }: Ports, req: Request, key: Secret): boolean =>
  tokens.sameDigest(req.get('authorization') ?? '', `Bearer ${key.reveal()}`)
