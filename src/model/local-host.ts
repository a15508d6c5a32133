import { isIP } from 'node:net';

/**
 * Whether a host (with or without a port) is this machine or its own network: servers of local models
 * stand there, and ask for no key.
 */
export function isLocalHost(host: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  switch (isIP(name)) {
    case 4:
      return PRIVATE_4.test(name);
    case 6:
      return PRIVATE_6.test(name);
    default:
      return !name.includes('.') || LOCAL_NAME.test(name);
  }
}

/** Loopback, link-local, the private ranges of RFC 1918, the shared one of RFC 6598. */
const PRIVATE_4 =
  /^(?:0\.|10\.|127\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
/** Loopback, link-local, unique local, and the first in the form of IPv4. */
const PRIVATE_6 = /^(?:::1?$|fe[89ab]|f[cd]|::ffff:(?:7f|a[0-9a-f]{2}:|c0a8:))/;
/** A name without a dot is one of a container or of the own network. */
const LOCAL_NAME = /\.(?:localhost|local|internal|lan|home\.arpa|test)$/;
