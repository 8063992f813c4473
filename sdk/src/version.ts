/** The version of this package, sent in the `User-Agent` of each request. */
export const VERSION = '0.2.0';
