import type { Resource } from '../domain/resource.ts'
import type { Warnings } from './settle-deployment.ts'

type Trigger = { enabled: boolean; configuration: { callbackUrl?: string } }

/** A callback that can never be delivered keeps nothing from running, so it is said and not refused. */
export const findWarnings =
  ({ mayCallBack }: { mayCallBack(url: string): boolean }): Warnings =>
  ({ spec }: Resource) => {
    const triggers = (spec.triggers ?? []) as Trigger[]
    const urls = triggers.flatMap(({ enabled, configuration: { callbackUrl } }) =>
      enabled && callbackUrl !== undefined && !mayCallBack(callbackUrl) ? [new URL(callbackUrl).host] : [],
    )
    return [...new Set(urls)].map(
      (host) => `The callback address at ${host} is not called from here: it must be https, public and on port 443.`,
    )
  }
