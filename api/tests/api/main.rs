//! The api over real HTTP: a server on a free port, a real hub and real records in a temporary directory. One file a
//! resource; one binary, so that it links once.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where it cannot go on"
)]

mod access;
mod alerts;
mod assets;
mod asvs;
mod audit;
mod auth;
mod backtests;
mod budgets;
mod codes;
mod commands;
mod controllers;
mod damage;
mod database;
mod deliveries;
mod derived_sensors;
mod device_limits;
mod device_profiles;
mod effects;
mod entries;
mod exceptions;
mod exhaustion;
mod explanations;
mod farm_records;
mod farms;
mod flaps;
mod given;
mod glossary;
mod hazards;
mod holders;
mod http;
mod identity;
mod incidents;
mod intake;
mod integrations;
mod invites;
mod joined;
mod lanes;
mod lease_tests;
mod letter;
mod limits;
mod live;
mod locks;
mod logs;
mod notifications;
mod notifications_field;
mod onboarding;
mod openapi;
mod operator;
mod outages;
mod pipeline;
mod places;
mod profile;
mod push;
mod records;
mod refused;
mod reservoir_ledger;
mod reservoirs;
mod rules;
mod setpoints;
mod sign_ins;
mod steps;
mod stops;
mod support;
mod tasks;
mod timing;
mod tokens;
mod told;
mod unknown_senders;
mod users;
mod verdict;
mod work;
mod writes;
