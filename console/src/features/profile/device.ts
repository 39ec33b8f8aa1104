// What a browser says of itself, as people know it.

// Order matters: nearly every browser also calls itself the ones before it.
const browsers: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** "Chrome, Android"; undefined where nothing is known. */
export function deviceName(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const named = [browsers, systems].flatMap(
    (known) => known.find(([sign]) => sign.test(userAgent))?.[1] ?? [],
  );
  return named.length > 0 ? named.join(', ') : undefined;
}
