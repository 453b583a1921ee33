// A namespace for a test, in which its user has only the rights of the Helm chart.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../set-up/folders.mjs'

const folder = mkdtempSync(join(tmpdir(), 'causeway-kubernetes-'))

/** @param {string[]} args @param {string} [input] */
export const kubectl = (args, input) =>
  execFileSync('kubectl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] }).trim()

/** @param {object[]} items */
const apply = (items) => kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))

const account = 'platform'

export async function prepareCluster() {
  const namespace = `causeway-test-${randomUUID().slice(0, 8)}`
  // Clusters before 1.23 ignore the label.
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }])
  const metadata = { name: account, namespace }
  const group = 'rbac.authorization.k8s.io'
  apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      ...{ apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata },
      roleRef: { apiGroup: group, kind: 'Role', name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    },
    {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
      metadata: { name: 'causeway-workloads', namespace },
      spec: {
        podSelector: { matchExpressions: [{ key: 'causeway.owner', operator: 'Exists' }] },
        policyTypes: ['Ingress', 'Egress'],
      },
    },
  ])
  const rules = readFileSync(join(root, 'deploy/helm/causeway/access/workloads.yaml'), 'utf8')
  const role = `apiVersion: ${group}/v1\nkind: Role\nmetadata: ${JSON.stringify(metadata)}\nrules:\n${rules}`
  kubectl(['apply', '-f', '-'], role)
  const storage = hasDefaultStorage() ? [] : makeStorage(namespace)
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, limitedConfig(namespace))
  return { namespace, storage, env: { KUBECONFIG: kubeconfig, ENGINE_URL: `kubernetes:${namespace}` } }
}

/** @param {string} namespace */
export async function cleanUp(namespace) {
  kubectl(['delete', 'namespace', namespace, '--wait=false'])
  kubectl(['delete', 'persistentvolumes,storageclasses', '-l', `causeway-test=${namespace}`, '--wait=false'])
}

/** @param {string} namespace */
function limitedConfig(namespace) {
  const { clusters } = JSON.parse(kubectl(['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']))
  const [{ cluster }] = clusters
  return JSON.stringify({
    clusters: [{ name: 'test', cluster }],
    users: [{ name: account, user: { token: tokenOf(namespace) } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: account } }],
    'current-context': 'test',
  })
}

/** Clusters before 1.24 keep tokens in Secrets. @param {string} namespace */
function tokenOf(namespace) {
  try {
    return execFileSync('kubectl', ['create', 'token', account, '-n', namespace, '--duration=2h'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    const secret = kubectl(['get', 'serviceaccount', account, '-n', namespace, '-o', 'jsonpath={.secrets[0].name}'])
    const token = kubectl(['get', 'secret', secret, '-n', namespace, '-o', 'jsonpath={.data.token}'])
    return Buffer.from(token, 'base64').toString()
  }
}

const hasDefaultStorage = () =>
  JSON.parse(kubectl(['get', 'storageclasses', '-o', 'json'])).items.some(
    (/** @type {{ metadata: { annotations?: Record<string, string> } }} */ { metadata }) =>
      metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
  )

const volumes = 60

/**
 * A cluster on this machine may have no storage.
 * @param {string} namespace
 */
function makeStorage(namespace) {
  const node = kubectl(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}'])
  const labels = { 'causeway-test': namespace }
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
  const paths = Array.from({ length: volumes }, (_, at) => join(folder, `${at}`))
  for (const path of paths) mkdirSync(path)
  apply([
    {
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: namespace, labels, annotations } },
      ...{ provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' },
    },
    ...paths.map((path, at) => ({
      ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `${namespace}-${at}`, labels } },
      spec: {
        ...{ capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: namespace },
        ...{ persistentVolumeReclaimPolicy: 'Retain', local: { path } },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
            ],
          },
        },
      },
    })),
  ])
  return paths
}
