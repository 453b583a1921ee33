import { describe, expect, test } from 'vitest'
import { canonicalImage } from '../../../src/contract/control-plane/image-reference.ts'
import { JobInput } from '../../../src/contract/control-plane/workloads.ts'
import { isEchoImage, RuntimesFile, runtimesByImage } from '../../../src/platform/gateway/domain/runtime.ts'

const digest = `sha256:${'ab'.repeat(32)}`

describe('P1: an image reference', () => {
  test.each([
    ['python', 'docker.io/library/python:latest'],
    ['python:3.12', 'docker.io/library/python:3.12'],
    ['docker.io/python', 'docker.io/library/python:latest'],
    ['index.docker.io/library/python', 'docker.io/library/python:latest'],
    ['local/echo', 'docker.io/local/echo:latest'],
    ['acme/agent:v1', 'docker.io/acme/agent:v1'],
    ['localhost/agent', 'localhost/agent:latest'],
    ['localhost:5000/agent', 'localhost:5000/agent:latest'],
    ['[2001:db8::1]:5000/agent', '[2001:db8::1]:5000/agent:latest'],
    ['ghcr.io/acme/team/agent__a.b-c', 'ghcr.io/acme/team/agent__a.b-c:latest'],
    [`ghcr.io/acme/agent@${digest}`, `ghcr.io/acme/agent@${digest}`],
    [`ghcr.io/acme/agent:v1@${digest}`, `ghcr.io/acme/agent@${digest}`],
    ['Registry/agent', 'Registry/agent:latest'],
  ])('%s is %s', (reference, canonical) => {
    expect(canonicalImage(reference)).toBe(canonical)
  })

  test.each([
    'Acme',
    'acme/Agent',
    'acme//agent',
    '/agent',
    'agent/',
    'agent:',
    'agent:-v1',
    'agent@sha256:ab',
    `agent@${digest.toUpperCase()}`,
    'a..b',
    'a___b',
    '-a',
    'https://acme.example/agent',
    'acme/agent v1',
    'ab'.repeat(32),
    `acme/${'a'.repeat(255)}`,
    `agent:${'v'.repeat(129)}`,
    'agent\n',
  ])('%j is invalid, and a request with it gets an explanation', (reference) => {
    const body = { metadata: { name: 'batch' }, spec: { runtime: { image: reference } } }

    const read = JobInput.safeParse(body)

    expect(canonicalImage(reference)).toBeUndefined()
    expect(read.error?.issues).toEqual([
      expect.objectContaining({
        path: ['spec', 'runtime', 'image'],
        message: expect.stringMatching(/^is not an image reference: use /),
      }),
    ])
  })

  test('finds its runtime in any spelling, but not with another tag or digest', () => {
    const { runtimes } = RuntimesFile.parse({
      runtimes: [
        { image: 'acme/agent:latest', url: 'http://127.0.0.1:1' },
        { image: `acme/agent@${digest}`, url: 'http://127.0.0.1:2' },
      ],
    })
    const urlOf = (image: string) => {
      const found = runtimesByImage(runtimes).find(image)
      return found && 'url' in found ? found.url : undefined
    }

    expect(['acme/agent', 'docker.io/acme/agent'].map(urlOf)).toEqual(Array(2).fill('http://127.0.0.1:1'))
    expect(urlOf(`acme/agent:v9@${digest}`)).toBe('http://127.0.0.1:2')
    expect(['acme/agent:v1', 'ghcr.io/acme/agent', `acme/agent@sha256:${'cd'.repeat(32)}`].map(urlOf)).toEqual(
      Array(3).fill(undefined),
    )
    expect(['local/echo', 'local/echo:latest', 'docker.io/local/echo'].map(isEchoImage)).toEqual([true, true, true])
  })

  test('is validated in the runtimes file, which rejects two spellings of one image', () => {
    const read = RuntimesFile.safeParse({
      runtimes: [
        { image: 'Acme Agent', url: 'http://127.0.0.1:1' },
        { image: 'acme/agent', url: 'http://127.0.0.1:1' },
        { image: 'docker.io/acme/agent:latest', command: ['node'] },
      ],
    })

    expect(read.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      expect.stringMatching(/^runtimes.0.image is not an image reference/),
      'runtimes.2.image names the same image as acme/agent',
    ])
  })
})
