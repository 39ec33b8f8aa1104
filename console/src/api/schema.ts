// Generated from the server's OpenAPI document by `npm run generate`. Do not edit.

export interface paths {
    "/api/farms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's farms
         * @description Those that the caller belongs to, with the role in each; the oldest membership first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Farm"][];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/latest-telemetry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The latest telemetry
         * @description `latest` is keyed by the sensor type as on the wire (`ph`, `ec`, ...).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LatestTelemetry"];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A farm in numbers */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FarmSummary"];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/tasks/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many tasks there are */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TaskSummary"];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/farms/{farmId}/weather": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The weather outside
         * @description From a weather service by the farm's position; without one from the farm's own outside sensors (those whose scope is the
         *     farm); without those `source` is `none` and `reason` says why.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    farmId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Weather"];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in by password
         * @description Open to anybody. An unknown contact and a wrong password get the same answer. Failed tries are limited: 429 says in
         *     Retry-After how many seconds to wait.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LoginRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description Unknown contact or wrong password */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description A field is missing */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends this sign-in
         * @description Its token is refused from now on, and its live connections are closed.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is signed in */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What a failed request answers. */
        Error: {
            /**
             * @description What went wrong, as a stable word.
             * @example unauthenticated
             */
            code: string;
            /** @description What went wrong, in the caller's language (Accept-Language: en, hi or mr). */
            error: string;
            /** @description Each field that is wrong, where a document was refused. */
            problems?: components["schemas"]["Problem"][];
        };
        /** @description A farm of the caller's. */
        Farm: {
            /** @example demo-farm-1 */
            id: string;
            /** @description Where it is, in words. */
            location: string | null;
            name: string;
            /** @description The caller's role in it. */
            role: components["schemas"]["Role"];
            /**
             * @description Its IANA time zone: people see this time.
             * @example Asia/Kolkata
             */
            timezone: string;
        };
        /** @description A farm in numbers; null where there is no source for the number yet. */
        FarmSummary: {
            /** @description Alert rules that are raised now. */
            activeAlerts: number;
            /**
             * Format: double
             * @description Rupees.
             */
            expectedHarvestRevenue: number | null;
            /** Format: double */
            inventoryAvailablePercent: number | null;
            /**
             * Format: double
             * @description Rupees.
             */
            inventoryCost: number | null;
            /** Format: int64 */
            nurseries: number | null;
            /**
             * Format: int64
             * @description Tasks that are not closed and whose due date lies before today, in the farm's time.
             */
            overdueTasks: number;
            polyhouses: number;
            reservoirs: number;
            /**
             * Format: double
             * @description Rupees.
             */
            salesRevenue: number | null;
            /** Format: double */
            utilizationPercent: number | null;
            zones: number;
        };
        /** @description The latest telemetry of a farm. */
        LatestTelemetry: {
            /**
             * @description The mean of the fresh values of each type that has any, keyed by the sensor type as on the wire: `ph`, `ec`,
             *     `temperature`, ... (what people see as "pH" and "EC" are the keys `ph` and `ec`).
             */
            latest: {
                [key: string]: components["schemas"]["TelemetryMean"];
            };
            /** @description Every sensor with its latest good value, while that is fresh. */
            sensors: components["schemas"]["Sensor"][];
        };
        /** @description What is needed to sign in by password. */
        LoginRequest: {
            /**
             * @description E-mail address or mobile number.
             * @example owner@demo.harit
             */
            contact: string;
            password: string;
        };
        /** @description The signed-in user. */
        Me: {
            user: components["schemas"]["User"];
        };
        /** @description One field that is wrong. */
        Problem: {
            /** @description What kind of problem, as a stable word. */
            code: string;
            /** @description What is wrong. */
            message: string;
            /** @description Where: `trigger.value`, `actions[1].command.action`. */
            path: string;
        };
        /**
         * @description A role in a farm.
         * @enum {string}
         */
        Role: "OWNER" | "ADMIN" | "FARM_MANAGER" | "VIEWER";
        /** @description A farm, a polyhouse or a zone. */
        Scope: {
            /** @description The farm; a label. */
            farmId?: string | null;
            /** @description The place's name; a label. */
            name?: string | null;
            /** @description The place's path for people; a label. */
            path?: string | null;
            /** @description The polyhouse; required for a polyhouse. */
            polyhouseId?: string | null;
            /** @description What kind of place it is. */
            type: components["schemas"]["ScopeType"];
            /** @description The zone; required for a zone. */
            zoneId?: string | null;
        };
        /**
         * @description What kind of place it is.
         * @enum {string}
         */
        ScopeType: "farm" | "polyhouse" | "zone";
        /** @description A sensor and what it said last. */
        Sensor: {
            /**
             * Format: int64
             * @description When the latest good reading was taken.
             */
            at: number | null;
            /** @description The MAC of its controller. */
            controller: string | null;
            id: string;
            /**
             * Format: double
             * @description Null when no reading is fresh.
             */
            latestValue: number | null;
            name: string | null;
            scope: components["schemas"]["Scope"];
            /**
             * Format: int64
             * @description How long a reading counts, in seconds.
             */
            staleAfterSec: number;
            type: components["schemas"]["SensorType"];
            /** @description Empty for pH. */
            unit: string;
        };
        /**
         * @description What is measured.
         * @enum {string}
         */
        SensorType: "temperature" | "humidity" | "soil_moisture" | "ph" | "ec" | "reservoir_level" | "light_intensity" | "co2_level";
        /** @description A new sign-in. */
        SignedIn: {
            /** @description Whether onboarding is still to be done. */
            firstTime: boolean;
            /** @description To be sent as `Authorization: Bearer <token>`. It ends 30 days after its last use, or with POST /auth/logout. */
            token: string;
            user: components["schemas"]["User"];
        };
        /** @description Tasks, counted. */
        TaskSummary: {
            /** Format: int64 */
            closed: number;
            /** Format: int64 */
            inProgress: number;
            /** Format: int64 */
            inReview: number;
            /** Format: int64 */
            open: number;
            /**
             * Format: int64
             * @description Not closed, and due before today in the farm's time; counted in their status too.
             */
            overdue: number;
            /** Format: int64 */
            total: number;
        };
        /** @description A mean over the farm. */
        TelemetryMean: {
            /**
             * Format: int64
             * @description When the newest of its readings was taken.
             */
            at: number;
            unit: string;
            /**
             * Format: double
             * @description Rounded to two decimals.
             */
            value: number;
            worst: components["schemas"]["WorstReading"] | null;
        };
        /** @description A user. */
        User: {
            /** Format: int64 */
            createdAt: number;
            email: string | null;
            id: string;
            isActive: boolean;
            /** @description en, hi or mr. */
            languagePref: string;
            name: string;
            onboardingCompleted: boolean;
            phone: string | null;
            role: components["schemas"]["Role"] | null;
        };
        /** @description The weather; null where the source does not say. */
        Weather: {
            /**
             * Format: int64
             * @description When it was so.
             */
            at: number | null;
            /**
             * Format: double
             * @description Air temperature, °C.
             */
            current: number | null;
            /**
             * Format: double
             * @description Apparent temperature, °C.
             */
            feelsLike: number | null;
            /**
             * Format: double
             * @description Relative humidity, %.
             */
            humidity: number | null;
            /**
             * Format: double
             * @description Pressure at sea level, hPa.
             */
            pressure: number | null;
            /** @description Why there is none, in the caller's language. */
            reason: string | null;
            source: components["schemas"]["WeatherSource"];
            /**
             * Format: double
             * @description Wind speed, km/h.
             */
            wind: number | null;
        };
        /**
         * @description Where weather comes from.
         * @enum {string}
         */
        WeatherSource: "provider" | "farm" | "simulator" | "none";
        /** @description The value that a mean hides. */
        WorstReading: {
            /** @description The reservoir's name, or the sensor's. */
            name: string;
            /** Format: double */
            value: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
