// A worker whose lease expired has lost its link or task to another worker, and must not call other servers for it.

import { intercept } from '../../domain/ports/intercept.ts'
import { platformMethods } from '../../domain/ports/platform.ts'
import type { Ports } from '../../domain/ports/ports.ts'

export class LostLink extends Error {}

export function fenced(ports: Ports, keepLease: () => Promise<boolean>): Ports {
  const assertLease = async () => {
    if (!(await keepLease())) throw new LostLink()
  }
  return {
    ...ports,
    platform: intercept(ports.platform, platformMethods, async ({ args }, next) => {
      await assertLease()
      return next(...args)
    }),
    provider: intercept(ports.provider, ['refresh', 'revoke'], async ({ args }, next) => {
      await assertLease()
      return next(...args)
    }),
  }
}
