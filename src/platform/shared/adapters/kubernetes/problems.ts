// Sentences for tenants.
import { statusOf } from './kubernetes-api.ts'
import type { Start } from './pod-state.ts'

export const noAnswer = 'The cluster of this platform failed or did not answer. Try again later.'

const noRoom = 'The cluster has no room for it now. Try again later.'

const notStartable = (image: string) =>
  `The cluster could not start the image ${image}. A sandbox needs an image with /bin/sh.`

/** Empty if the pod has a wanted state. */
export function problemOf(start: Start | undefined, image: string, wanted: readonly Start[]): { problem?: string } {
  if (start !== undefined && wanted.includes(start)) return {}
  const problems: Record<Start, string> = {
    running: noAnswer,
    ended: notStartable(image),
    gone: noAnswer,
    'no image': `The cluster has no image ${image} and could not pull it: check its name. The operator of the platform can load it there, or allow it (ENGINE_IMAGES).`,
    'not startable': notStartable(image),
    'no room': noRoom,
  }
  return { problem: start === undefined ? noAnswer : problems[start] }
}

/** Why the server did not accept a pod. */
export function refusalOf(error: unknown, image: string): { problem: string } {
  const status = statusOf(error)
  const isRefusal = status === 400 || status === 403 || status === 422
  if (!isRefusal) return { problem: noAnswer }
  return { problem: /exceeded quota/.test(String((error as Error).message)) ? noRoom : notStartable(image) }
}
