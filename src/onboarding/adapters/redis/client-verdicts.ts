import { z } from 'zod'
import type { RedisClient } from '../../../kit/database/redis.ts'
import { causeCodes } from '../../domain/cause.ts'
import { type ClientVerdicts, verdictSeconds } from '../../domain/ports/shared.ts'
import { clientVerdictKey } from './keys.ts'

const at = z.coerce.date()

const Verdict = z.discriminatedUnion('is', [
  z.object({ is: z.literal('good'), at }),
  z.object({ is: z.literal('unknown'), at }),
  z.object({ is: z.literal('rejected'), cause: z.enum(causeCodes), at }),
])

export const redisClientVerdicts = (redis: RedisClient): ClientVerdicts => ({
  async find(client) {
    const kept = await redis.get(clientVerdictKey(client))
    return kept === null ? undefined : Verdict.safeParse(JSON.parse(kept)).data
  },
  async keep(client, verdict) {
    await redis.set(clientVerdictKey(client), JSON.stringify(verdict), 'EX', verdictSeconds)
  },
})
