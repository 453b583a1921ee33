// Whatever a tenant writes, its pod has the profile `restricted` and nothing of the node, the cluster or other tenants.
// https://kubernetes.io/docs/concepts/security/pod-security-standards/
import { readFileSync } from 'node:fs'
import type { V1PodSpec } from '@kubernetes/client-node'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { denyAll, keptPod, runPod } from '../../../src/platform/shared/adapters/kubernetes/pod-settings.ts'
import { podsOf } from '../../../src/platform/shared/adapters/kubernetes/pods.ts'
import { imageRules } from '../../../src/platform/shared/domain/image-rules.ts'
import { clusterInMemory } from './cluster-in-memory.ts'

const hostile = '$(SECRET) $$ $ {X}\n---\nhostNetwork: true\n"}'
const env = { KUBERNETES_SERVICE_HOST: hostile, LD_PRELOAD: '/x.so', HOME: '/root' }
const mounts = [
  '/etc',
  '/proc/1',
  '/var/run/secrets/kubernetes.io/serviceaccount',
  '/home/user',
  '/tmp',
  '/../host',
].map((at, index) => ({ volume: `v${index}`, at, readOnly: false }))
const limits = { image: hostile, mayPull: true, memoryMb: 128 }
const claims = { home: 'home', of: ({ volume }: { volume: string }) => `claim-${volume}` }

const specs: Array<[string, V1PodSpec]> = [
  [
    'task',
    runPod({
      ...{ ...limits, diskMb: 10, command: [hostile], env, workingFolder: hostile, hasInput: true, maxSeconds: 60 },
      temporary: mounts.map(({ at }) => ({ at, maxMb: 1, readOnly: false })),
    }),
  ],
  ['sandbox', keptPod({ ...limits, mounts }, claims)],
  ['server', keptPod({ ...limits, mounts, serves: { port: 80, env: new Secret(env) } }, claims)],
]

test.each(specs)('the pod of a %s is restricted', (_what, spec) => {
  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(spec.containers).toHaveLength(1)
  expect(spec.containers[0]).toMatchObject({
    resources: { limits: { memory: '128Mi', cpu: '0.5' } },
    securityContext: {
      ...{ allowPrivilegeEscalation: false, privileged: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    },
  })
  const forbidden = [
    'hostNetwork',
    'hostPID',
    'hostIPC',
    'hostUsers',
    'serviceAccountName',
    'nodeName',
    'initContainers',
  ]
  expect(forbidden.filter((member) => member in spec)).toEqual([])
})

test.each(specs)('the pod of a %s mounts only empty folders and its own claims, each path once', (_what, spec) => {
  const kinds = (spec.volumes ?? []).map(({ name, ...source }) => Object.keys(source).join())
  const paths = (spec.containers[0]?.volumeMounts ?? []).map(({ mountPath }) => mountPath)

  expect([...new Set(kinds)].filter((kind) => !['emptyDir', 'persistentVolumeClaim'].includes(kind))).toEqual([])
  expect(new Set(paths).size).toBe(paths.length)
  expect(spec.volumes?.every(({ emptyDir }) => emptyDir === undefined || emptyDir.sizeLimit !== undefined)).toBe(true)
})

test.each(specs)('the cluster expands nothing in the command and the variables of a %s', (_what, spec) => {
  const { command = [], env: variables = [] } = spec.containers[0] ?? {}

  const expanded = [...command, ...variables.map(({ value = '' }) => value)].filter((text) =>
    /(^|[^$])(\$\$)*\$[({]/.test(text),
  )

  expect(expanded).toEqual([])
  expect(variables.filter(({ name }) => name === 'HOME')).toEqual([{ name: 'HOME', value: '/home/user' }])
  expect(variables.filter(({ valueFrom }) => valueFrom)).toEqual([])
})

test('the network policy selects every pod of the platform, and allows no connection', async () => {
  const { cluster, api } = clusterInMemory()
  const pods = podsOf(api, { owner: 'test', images: imageRules(['*']), sharedStorage: undefined })

  await pods.keep({ id: 'box', image: 'acme/box', memoryMb: 64 })
  await pods.createRun('task', { containers: [] })

  const { podSelector, policyTypes, ingress, egress } = denyAll.spec ?? {}
  const [{ key = '', operator = '' } = {}] = podSelector?.matchExpressions ?? []
  expect([operator, policyTypes, ingress, egress]).toEqual(['Exists', ['Ingress', 'Egress'], undefined, undefined])
  expect(cluster.pods.size).toBe(2)
  expect([...cluster.pods.values()].every(({ metadata }) => key in metadata.labels)).toBe(true)
})

test('the Role of the chart has what the engine calls, and nothing else', () => {
  const text = readFileSync(new URL('../../../deploy/helm/causeway/access/workloads.yaml', import.meta.url), 'utf8')
  const rules = [...text.matchAll(/resources: \[(.*)\]\n {2}verbs: \[(.*)\]/g)].flatMap(([, resources = '', verbs]) =>
    resources.split(', ').map((resource) => `${resource}: ${verbs}`),
  )

  expect(rules).toEqual([
    'pods: get, list, watch, create, delete',
    'pods/log: get',
    'pods/exec: get, create',
    'pods/attach: get, create',
    'pods/portforward: get, create',
    'persistentvolumeclaims: get, list, create, delete',
    'networkpolicies: get',
  ])
})
