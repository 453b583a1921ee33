// A command in a pod that ended a moment ago.
import { expect, test } from 'vitest'
import { execInPod } from '../../../src/platform/shared/adapters/kubernetes/exec-in-pod.ts'
import type { KubernetesApi, Socket } from '../../../src/platform/shared/adapters/kubernetes/kubernetes-api.ts'
import type { OwnPods } from '../../../src/platform/shared/adapters/kubernetes/pods.ts'

type Frame = [channel: number, text: string]

/** Each opened stream gets the next frames, and then ends. */
function cluster(streams: Frame[][]) {
  let opened = 0
  const api = {
    async openSocket(_call: object, onFrame: (channel: number, chunk: Buffer) => void) {
      const frames = streams[opened++] ?? []
      let onClose = () => {}
      return {
        send() {
          for (const [channel, text] of frames) onFrame(channel, Buffer.from(text))
          onClose()
        },
        once: (_event: 'close', listener: () => void) => {
          onClose = listener
        },
        terminate() {},
      } as unknown as Socket
    },
  } as unknown as KubernetesApi
  const pods = { nameOf: () => 'box', keep: async () => ({}) } as unknown as OwnPods
  const kept = { id: 'box', image: 'acme/box', memoryMb: 64 }
  const end = execInPod(
    { api, pods },
    {
      ...{ id: 'run', in: { kept }, command: ['true'], env: {}, folders: [], memoryMb: 64, diskMb: 1, stdin: '' },
      ...{ timeoutSeconds: 10, signal: new AbortController().signal },
    },
    kept,
  )
  return { end, opened: () => opened }
}

const [stdout, status] = [1, 3]
const failure = (message: string): Frame => [status, JSON.stringify({ status: 'Failure', message })]
const notCreated = [
  'failed to create exec "4f": container not created: not found',
  'failed to load task: no running task found: task 4f not found: not found',
].map((reason) => failure(`failed to exec in container: ${reason}`))
const success: Frame[] = [
  [stdout, 'out'],
  [status, '{"status":"Success"}'],
]

test('a command that the runtime could not create is started again', async () => {
  const { end, opened } = cluster([...notCreated.map((frame) => [frame]), success])

  expect(await end).toEqual({ outcome: 'exited', code: 0, stdout: 'out', stderr: '' })
  expect(opened()).toBe(3)
})

test.each([
  ['lost its connection', []],
  ['failed in another way', [failure('the node is gone')]],
])('a command that %s is not started again', async (_what, frames) => {
  const { end, opened } = cluster([[[stdout, 'begun'], ...(frames as Frame[])], success])

  expect(await end).toMatchObject({ outcome: 'unavailable', stdout: 'begun' })
  expect(opened()).toBe(1)
})
