//! The languages of people, and the texts that the server says to them. The English ones are the originals: clients and
//! tests know them literally.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use harit_engine::Setting;
use harit_ingest::lease::{LEASE_UNPROVEN, NO_LEASE};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English
    #[default]
    En,
    /// Hindi
    Hi,
    /// Marathi
    Mr,
}

impl Language {
    /// The language's code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Hi => "hi",
            Self::Mr => "mr",
        }
    }

    /// The language of that code.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        [Self::En, Self::Hi, Self::Mr]
            .into_iter()
            .find(|l| l.as_str() == code)
    }

    /// A number in the digits that people of that language see on screen.
    pub(crate) fn digits(self, number: &str) -> String {
        let digit = |c: char| match (self, c.to_digit(10)) {
            (Self::Mr, Some(d)) => char::from_u32(0x0966 + d).unwrap_or(c),
            _ => c,
        };
        number.chars().map(digit).collect()
    }

    /// What the caller asks for: the known language of the highest weight, else English.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let Some(header) = headers.get(ACCEPT_LANGUAGE).and_then(|h| h.to_str().ok()) else {
            return Self::En;
        };
        let mut best = (0.0_f32, Self::En);
        for entry in header.split(',').take(16) {
            let mut parts = entry.split(';');
            let code = parts
                .next()
                .unwrap_or("")
                .trim()
                .split('-')
                .next()
                .unwrap_or("")
                .to_ascii_lowercase();
            let weight = parts
                .find_map(|p| p.trim().strip_prefix("q="))
                .map_or(1.0, |q| q.parse().unwrap_or(0.0));
            if let Some(language) = Self::parse(&code)
                && weight > best.0
            {
                best = (weight, language);
            }
        }
        best.1
    }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident { $en:literal, $hi:literal, $mr:literal })+) => {
        /// Something that the server says to a person.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Text { $($(#[$doc])* $name,)+ }

        impl Text {
            /// The text in a language.
            pub(crate) const fn say(self, language: Language) -> &'static str {
                match (self, language) { $(
                    (Self::$name, Language::En) => $en,
                    (Self::$name, Language::Hi) => $hi,
                    (Self::$name, Language::Mr) => $mr,
                )+ }
            }
        }
    };
}

/// What the reason of a lock, or of a refusal, says of a device's lease; none where it is about something else.
pub(crate) fn lease_text(reason: &str) -> Option<Text> {
    match reason {
        LEASE_UNPROVEN => Some(Text::LeaseUnproven),
        NO_LEASE => Some(Text::NoLease),
        _ => None,
    }
}

texts! {
    AuthenticationRequired { "Authentication required", "लॉगिन करना ज़रूरी है", "लॉगिन करणे आवश्यक आहे" }
    LoginFailed { "Login failed", "लॉगिन नहीं हो सका", "लॉगिन होऊ शकले नाही" }
    ContactRequired { "Email or mobile number is required", "ईमेल या मोबाइल नंबर ज़रूरी है", "ईमेल किंवा मोबाइल नंबर आवश्यक आहे" }
    PasswordRequired { "Password is required", "पासवर्ड ज़रूरी है", "पासवर्ड आवश्यक आहे" }
    TooManyAttempts { "Too many attempts. Please wait a little and try again.", "बहुत बार कोशिश हो चुकी है। थोड़ा रुककर फिर कोशिश करें।", "खूप वेळा प्रयत्न झाला आहे. थोडे थांबून पुन्हा प्रयत्न करा." }
    TooManyReads { "Too many pages were loaded within a minute. Devices can still be switched. Please wait a little.", "एक मिनट में बहुत ज़्यादा जानकारी माँगी गई। उपकरण अब भी चालू-बंद किए जा सकते हैं। थोड़ा रुकें।", "एका मिनिटात खूप जास्त माहिती मागितली गेली. उपकरणे अजूनही चालू-बंद करता येतात. थोडे थांबा." }
    TooManyChanges { "Too many changes within a minute. Devices can still be switched. Please wait a little.", "एक मिनट में बहुत ज़्यादा बदलाव किए गए। उपकरण अब भी चालू-बंद किए जा सकते हैं। थोड़ा रुकें।", "एका मिनिटात खूप जास्त बदल केले गेले. उपकरणे अजूनही चालू-बंद करता येतात. थोडे थांबा." }
    TooManyCommands { "Too many commands within a minute. Switching off is still possible. Please wait a little.", "एक मिनट में बहुत ज़्यादा आदेश दिए गए। बंद करना अब भी हो सकता है। थोड़ा रुकें।", "एका मिनिटात खूप जास्त आदेश दिले गेले. बंद करणे अजूनही शक्य आहे. थोडे थांबा." }
    TooManyStops { "Too many stop commands within a minute. Please wait a few seconds.", "एक मिनट में बंद करने के बहुत ज़्यादा आदेश दिए गए। कुछ सेकंड रुकें।", "एका मिनिटात बंद करण्याचे खूप जास्त आदेश दिले गेले. काही सेकंद थांबा." }
    Busy { "The server is busy. Please try again.", "सर्वर अभी व्यस्त है। कृपया फिर कोशिश करें।", "सर्व्हर सध्या व्यस्त आहे. कृपया पुन्हा प्रयत्न करा." }
    BeforeJournal { "The journal does not reach back that far", "उस समय तक का रिकॉर्ड नहीं रखा गया है", "त्या वेळेपर्यंतची नोंद ठेवलेली नाही" }
    PastTooLong { "That takes too long. Choose a shorter time.", "इसमें बहुत समय लगेगा। छोटा समय चुनें।", "याला खूप वेळ लागेल. कमी वेळ निवडा." }
    NotFound { "Not found", "नहीं मिला", "सापडले नाही" }
    MethodNotAllowed { "This is not possible here", "यहाँ यह नहीं हो सकता", "इथे हे करता येत नाही" }
    NotPermitted { "Your role does not allow this", "आपकी भूमिका में इसकी अनुमति नहीं है", "तुमच्या भूमिकेला याची परवानगी नाही" }
    BadJson { "The request is not valid JSON of the expected form", "भेजा गया डेटा सही JSON रूप में नहीं है", "पाठवलेला डेटा योग्य JSON स्वरूपात नाही" }
    BadQuery { "The request's parameters are not valid", "अनुरोध में कुछ सही नहीं है", "विनंतीतील मूल्ये योग्य नाहीत" }
    JsonExpected { "The request must be JSON", "अनुरोध JSON में होना चाहिए", "विनंती JSON मध्ये असावी" }
    TooLarge { "The request is too large", "अनुरोध बहुत बड़ा है", "विनंती खूप मोठी आहे" }
    Invalid { "Some entries are not valid", "भरी हुई कुछ जानकारी सही नहीं है", "भरलेली काही माहिती योग्य नाही" }
    IdDiffers { "The id in the document differs from the id in the address", "दस्तावेज़ की पहचान पते की पहचान से अलग है", "दस्तऐवजातील ओळख पत्त्यातील ओळखीपेक्षा वेगळी आहे" }
    NothingToChange { "There is nothing to change", "बदलने के लिए कुछ नहीं दिया गया", "बदलण्यासाठी काहीही दिलेले नाही" }
    ChangedMeanwhile { "Somebody changed this after you opened it. Look at it as it is now before you save.", "आपके खोलने के बाद किसी ने इसे बदल दिया है। सेव करने से पहले देखें कि अब क्या लिखा है।", "तुम्ही उघडल्यानंतर कोणीतरी हे बदलले आहे. सेव्ह करण्यापूर्वी आता काय आहे ते पाहा." }
    TooManyAnswers { "This alert has been answered too often. Write the rest into a task.", "इस चेतावनी पर बहुत ज़्यादा जवाब आ चुके हैं। बाक़ी बात किसी काम में लिखें।", "या इशाऱ्याला खूप उत्तरे आली आहेत. बाकीचे एखाद्या कामात लिहा." }
    IncidentOver { "This alert is over already: there is nothing to answer any more", "यह चेतावनी ख़त्म हो चुकी है: अब जवाब देने को कुछ नहीं है", "हा इशारा आधीच संपला आहे: आता उत्तर देण्यासारखे काही नाही" }
    BadKey { "The request's Idempotency-Key header is not valid", "अनुरोध का Idempotency-Key हेडर सही नहीं है", "विनंतीचा Idempotency-Key हेडर योग्य नाही" }
    KeyReused { "This key was used for another request", "यह कुंजी किसी दूसरे अनुरोध के लिए इस्तेमाल हो चुकी है", "ही की दुसऱ्या विनंतीसाठी वापरली गेली आहे" }
    UnderWay { "This is being carried out already. Please wait a moment.", "यह काम अभी हो रहा है। थोड़ा रुकें।", "हे काम आत्ता चालू आहे. थोडे थांबा." }
    OutcomeUnknown { "It is not known whether this was carried out: the server stopped in between. Look first, then try again if needed.", "पता नहीं कि यह हुआ या नहीं: बीच में सर्वर रुक गया था। पहले देख लें, फिर ज़रूरत हो तो दोबारा करें।", "हे झाले की नाही ते माहीत नाही: मध्येच सर्व्हर थांबला होता. आधी पाहा, मग गरज असल्यास पुन्हा करा." }
    BadPrecondition { "The request's If-Match header cannot be read", "अनुरोध का If-Match हेडर पढ़ा नहीं जा सका", "विनंतीचा If-Match हेडर वाचता आला नाही" }
    AlreadyExists { "This already exists", "यह पहले से मौजूद है", "हे आधीच अस्तित्वात आहे" }
    Unavailable { "The service is not available at the moment. Please try again.", "सेवा अभी उपलब्ध नहीं है। कृपया फिर कोशिश करें।", "सेवा सध्या उपलब्ध नाही. कृपया पुन्हा प्रयत्न करा." }
    DiskFull { "The server's disk is full: nothing can be saved until there is room. Please tell whoever runs the server.", "सर्वर की डिस्क भर गई है: जगह होने तक कुछ भी सेव नहीं हो सकता। कृपया सर्वर चलाने वाले को बताएँ।", "सर्व्हरची डिस्क भरली आहे: जागा होईपर्यंत काहीही सेव्ह करता येत नाही. कृपया सर्व्हर चालवणाऱ्याला सांगा." }
    Internal { "Something went wrong on the server", "सर्वर में कोई गड़बड़ी हुई", "सर्व्हरमध्ये काहीतरी चूक झाली" }
    AssetsRequired { "At least one asset is required", "कम से कम एक यूनिट ज़रूरी है", "किमान एक युनिट आवश्यक आहे" }
    AssetTypeRequired { "Asset type is required", "यूनिट का प्रकार ज़रूरी है", "युनिटचा प्रकार आवश्यक आहे" }
    MacRequired { "Controller MAC ID is required", "कंट्रोलर का MAC ID ज़रूरी है", "कंट्रोलरचा MAC ID आवश्यक आहे" }
    MacInvalid {
        "Invalid MAC ID format (e.g., AA:BB:CC:DD:EE:FF or AABBCCDDEEFF)",
        "MAC ID का रूप सही नहीं है (जैसे AA:BB:CC:DD:EE:FF या AABBCCDDEEFF)",
        "MAC ID चे स्वरूप योग्य नाही (उदा. AA:BB:CC:DD:EE:FF किंवा AABBCCDDEEFF)"
    }
    MacOwn { "This controller is already registered in this farm", "यह कंट्रोलर इस फ़ार्म में पहले से दर्ज है", "हा कंट्रोलर या शेतात आधीच नोंदवलेला आहे" }
    MacTaken {
        "This controller is registered elsewhere. If it is yours, ask whoever runs the server to release it.",
        "यह कंट्रोलर कहीं और दर्ज है। यदि यह आपका है, तो सर्वर चलाने वाले से इसे मुक्त करने को कहें।",
        "हा कंट्रोलर दुसरीकडे नोंदवलेला आहे. तो तुमचा असल्यास सर्व्हर चालवणाऱ्याला तो मोकळा करण्यास सांगा."
    }
    MacTwice { "This controller is in the list twice", "यह कंट्रोलर सूची में दो बार है", "हा कंट्रोलर यादीत दोनदा आहे" }
    NotGone { "This still exists: its controller reports it. Only what is gone can be removed.", "यह अभी मौजूद है: इसका कंट्रोलर इसे बता रहा है। जो अब नहीं है, केवल वही हटाया जा सकता है।", "हे अजून आहे: त्याचा कंट्रोलर ते कळवत आहे. जे आता नाही, तेच हटवता येते." }
    TooManyAssets { "At most 64 assets at a time", "एक बार में ज़्यादा से ज़्यादा 64 यूनिट", "एका वेळी जास्तीत जास्त ६४ युनिट" }
    StepOutOfRange { "The time asked for is too long for this step, or not a time", "यह समय इस अंतराल के लिए बहुत लंबा है, या सही नहीं है", "हा कालावधी या अंतरासाठी खूप मोठा आहे, किंवा योग्य नाही" }
    NoSuchEffect { "There is no such kind of device", "ऐसा कोई उपकरण नहीं होता", "असे उपकरण नसते" }
    SensorShowsNothing { "This sensor is not there, or does not measure what this device changes", "यह सेंसर नहीं है, या वह नहीं नापता जो यह उपकरण बदलता है", "हा सेन्सर नाही, किंवा हे उपकरण जे बदलते ते तो मोजत नाही" }
    MinutesOutOfRange { "2 to 120 minutes", "2 से 120 मिनट", "२ ते १२० मिनिटे" }
    NameTooLong { "The name is too long", "नाम बहुत लंबा है", "नाव खूप लांब आहे" }
    NoFarm { "You do not belong to a farm yet", "आप अभी किसी फ़ार्म से नहीं जुड़े हैं", "तुम्ही अजून कोणत्याही शेताशी जोडलेले नाही" }
    DeviceOffline { "Device is offline", "उपकरण से संपर्क नहीं है", "उपकरणाशी संपर्क नाही" }
    DeviceLocked { "Device is locked due to safety override", "सुरक्षा के लिए उपकरण पर ताला लगा है", "सुरक्षेच्या कारणास्तव उपकरण कुलूपबंद आहे" }
    SentWhenItWakes { "The device is asleep: it gets this when it wakes", "उपकरण अभी सो रहा है: जागने पर उसे यह आदेश मिलेगा", "उपकरण आत्ता झोपले आहे: जागे झाल्यावर त्याला हा आदेश मिळेल" }
    LeaseUnproven { "It is not proven that this device goes off by itself when the line is cut. Test that first.", "यह अभी जाँचा नहीं गया कि लाइन कटने पर यह उपकरण अपने आप बंद होता है। पहले इसे जाँचें।", "लाइन तुटल्यावर हे उपकरण आपोआप बंद होते का, हे अजून तपासलेले नाही. आधी ते तपासा." }
    NoLease { "This device does not go off by itself when the line is cut, so it is never switched on from here.", "लाइन कटने पर यह उपकरण अपने आप बंद नहीं होता, इसलिए यहाँ से कभी चालू नहीं होता।", "लाइन तुटल्यावर हे उपकरण आपोआप बंद होत नाही, म्हणून इथून कधीच चालू होत नाही." }
    SafetyMode { "Safety mode - admin access required", "सुरक्षा मोड - सिर्फ़ मालिक या एडमिन चला सकते हैं", "सुरक्षा मोड - फक्त मालक किंवा अ‍ॅडमिन चालवू शकतात" }
    CommandInvalid { "This device cannot carry out this command", "यह आदेश इस उपकरण के लिए सही नहीं है", "हा आदेश या उपकरणासाठी योग्य नाही" }
    LimitMinOff { "The device stays off for its least time first", "उपकरण को पहले कम से कम तय समय तक बंद रहना है", "उपकरणाला आधी किमान ठरलेला वेळ बंद राहायचे आहे" }
    LimitStarts { "The device has started as often in this hour as it may", "उपकरण एक घंटे में जितनी बार शुरू हो सकता है, हो चुका है", "उपकरण तासाभरात जितक्या वेळा सुरू होऊ शकते तितक्या वेळा झाले आहे" }
    LimitGroup { "As many devices of its group run as may at a time", "उसके समूह में एक साथ जितने उपकरण चल सकते हैं, चल रहे हैं", "त्याच्या गटात एका वेळी जितकी उपकरणे चालू शकतात तितकी चालू आहेत" }
    LimitNeeds { "None of the devices that it needs is known to be on", "जिन उपकरणों की इसे ज़रूरत है, उनमें से कोई चालू नहीं मिला", "त्याला लागणाऱ्या उपकरणांपैकी एकही चालू असल्याचे कळले नाही" }
    LimitBudget { "The device's amount for the day is used up", "उपकरण की आज की तय मात्रा पूरी हो गई", "उपकरणाचे आजचे ठरलेले प्रमाण संपले" }
    LimitHours { "Outside of the hours in which the device may run", "यह उपकरण के चलने का समय नहीं है", "ही उपकरण चालण्याची वेळ नाही" }
    IntakeTopic { "`topic` is the message's topic by MQTT: 1 to 256 bytes without + and #", "`topic` संदेश का MQTT topic है: 1 से 256 बाइट, + और # के बिना", "`topic` हा संदेशाचा MQTT topic आहे: १ ते २५६ बाइट, + आणि # शिवाय" }
    IntakePrecision { "Send instants in nanoseconds (precision=ns)", "समय नैनोसेकंड में भेजें (precision=ns)", "वेळ नॅनोसेकंदांत पाठवा (precision=ns)" }
    IntakeUnread { "Nothing could be read from the message; it is among the farm's unread messages, with the reason", "संदेश से कुछ पढ़ा नहीं जा सका; कारण के साथ वह फ़ार्म के न पढ़े गए संदेशों में है", "संदेशातून काहीही वाचता आले नाही; कारणासह तो शेताच्या न वाचलेल्या संदेशांत आहे" }
    PulseLimit { "The pulse limit for the last hour is used up", "पिछले एक घंटे में थोड़ी-थोड़ी देर चलाने की सीमा पूरी हो चुकी है", "गेल्या तासात थोडा थोडा वेळ चालवण्याची मर्यादा संपली आहे" }
    CommandFailed { "Failed to send command", "आदेश नहीं भेजा जा सका", "आदेश पाठवता आला नाही" }
    CommandTimedOut { "Communication timeout - check the device before you try again", "समय पर जवाब नहीं आया - पहले देख लें कि काम हुआ या नहीं", "वेळेत उत्तर आले नाही - आधी काम झाले का ते पाहा" }
    FieldRequired { "This is required", "यह ज़रूरी है", "हे आवश्यक आहे" }
    FieldOutOfRange { "This is out of range", "यह मान सीमा से बाहर है", "हे मूल्य मर्यादेबाहेर आहे" }
    FieldNotWhole { "A whole number is needed", "पूरी संख्या चाहिए", "पूर्ण संख्या हवी" }
    FieldUnknown { "This was not found here", "यह यहाँ नहीं मिला", "हे इथे सापडले नाही" }
    FieldNoSensor { "There is no such sensor here", "यहाँ ऐसा कोई सेंसर नहीं है", "इथे असा सेन्सर नाही" }
    FieldNoValue { "This action has no value", "इस काम का कोई मान नहीं होता", "या कृतीला मूल्य नसते" }
    FieldTaken { "This is already in use", "यह पहले से इस्तेमाल में है", "हे आधीच वापरात आहे" }
    ProfileUnsound { "This profile has problems: try it on the bench", "इस प्रोफ़ाइल में गड़बड़ है: इसे जाँच पन्ने पर आज़माएँ", "या प्रोफाइलमध्ये चुका आहेत: चाचणी पानावर तपासा" }
    UnitOfAnother { "This is no unit of what is measured", "यह इस माप की इकाई नहीं है", "हे या मापाचे एकक नाही" }
    ControllerUnknown { "There is no such controller in the farm", "फ़ार्म में ऐसा कोई कंट्रोलर नहीं है", "शेतात असा कंट्रोलर नाही" }
    DerivedCircle { "These derived sensors go in a circle", "ये हिसाब वाले सेंसर एक-दूसरे पर घूमकर टिके हैं", "हे हिशेबी सेन्सर एकमेकांवर फिरून अवलंबून आहेत" }
    DerivedElsewhere { "This sensor is derived: change or delete it among the derived sensors", "यह हिसाब वाला सेंसर है: इसे हिसाब वाले सेंसरों में बदलें या हटाएँ", "हा हिशेबी सेन्सर आहे: तो हिशेबी सेन्सरांमध्ये बदला किंवा हटवा" }
    DerivedNoSensor { "No sensor measures this there", "वहाँ कोई सेंसर यह नहीं नापता", "तिथे हे मोजणारा सेन्सर नाही" }
    DerivedUnknownName { "There is nothing of this name here, or it is no name", "यहाँ इस नाम का कुछ नहीं है, या यह नाम ठीक नहीं है", "इथे या नावाचे काही नाही, किंवा हे नाव योग्य नाही" }
    DerivedOtherType { "This measures something else", "यह कुछ और नापता है", "हे दुसरे काहीतरी मोजते" }
    FormulaUnsound { "The formula has a mistake", "फ़ॉर्मूले में गड़बड़ है", "सूत्रात चूक आहे" }
    FieldTooLong { "This is too long", "यह बहुत लंबा है", "हे खूप लांब आहे" }
    DayInvalid { "This is not a date", "यह तारीख़ सही नहीं है", "ही तारीख बरोबर नाही" }
    DaysReversed { "This date lies before the beginning", "यह तारीख़ शुरुआत से पहले की है", "ही तारीख सुरुवातीच्या आधीची आहे" }
    RangeReversed { "The largest value lies below the smallest one", "सबसे बड़ा मान सबसे छोटे मान से कम है", "सर्वात मोठे मूल्य सर्वात लहान मूल्यापेक्षा कमी आहे" }
    NotInStock { "There is not so much in stock on that day", "उस दिन स्टॉक में इतना नहीं है", "त्या दिवशी साठ्यात इतके नाही" }
    PaidTooMuch { "This is more than the sale comes to", "यह बिक्री की कुल रकम से ज़्यादा है", "ही विक्रीच्या एकूण रकमेपेक्षा जास्त आहे" }
    UnitInUse { "The unit stays as it is: stock movements are written in it", "नाप नहीं बदल सकते: स्टॉक की एंट्री इसी नाप में लिखी हैं", "माप बदलता येत नाही: साठ्याच्या नोंदी याच मापात आहेत" }
    TooManyRecords { "The farm has too many of these. Delete what is no longer needed.", "फ़ार्म में ये बहुत ज़्यादा हैं। जिनकी ज़रूरत नहीं, उन्हें हटाएँ।", "शेतात हे खूप जास्त झाले आहेत. ज्यांची गरज नाही ते हटवा." }
    Between { "{min} to {max}", "{min} से {max} तक", "{min} ते {max}" }
    AtMost { "at most {max}", "ज़्यादा से ज़्यादा {max}", "जास्तीत जास्त {max}" }
    FieldOnlyOfWorkers { "Only workers are given this", "यह सिर्फ़ कामगारों को दिया जाता है", "हे फक्त कामगारांना दिले जाते" }
    FieldCircle { "It needs itself, if only over others", "घूम-फिरकर यह ख़ुद पर ही टिका है", "फिरून फिरून हे स्वतःवरच अवलंबून आहे" }
    FieldTooMany { "There are too many", "ये बहुत ज़्यादा हैं", "हे खूप जास्त आहेत" }
    FieldWrong { "This is not valid", "यह सही नहीं है", "हे योग्य नाही" }
    ReasonRequired { "A reason is required", "कारण बताना ज़रूरी है", "कारण देणे आवश्यक आहे" }
    ReasonTooLong { "The reason is too long", "कारण बहुत लंबा है", "कारण खूप मोठे आहे" }
    NotLocked { "The device is not locked", "उपकरण पर ताला नहीं है", "उपकरणाला कुलूप नाही" }
    NobodyAtTheMachine { "Make sure first that nobody is at the machine", "पहले देख लें कि मशीन के पास कोई नहीं है", "आधी यंत्राजवळ कोणी नाही याची खात्री करा" }
    OpenAtTheMachine { "This lock was set at the machine. Open it at the machine.", "यह ताला मशीन पर लगाया गया है। उसे मशीन पर ही खोलें।", "हे कुलूप यंत्राजवळ लावले आहे. ते यंत्राजवळच उघडा." }
    WhichLock { "The device has several locks: choose one", "उपकरण पर कई ताले हैं: एक चुनें", "उपकरणाला अनेक कुलुपे आहेत: एक निवडा" }
    PulseUnsupported { "This device does not support pulses: use an override", "यह उपकरण कुछ सेकंड के लिए नहीं चल सकता: “अपने हाथ में लें” चुनें", "हे उपकरण काही सेकंदांसाठी चालवता येत नाही: “आपल्या हाती घ्या” निवडा" }
    PulseLength { "A pulse lasts 1 to 60 whole seconds. For longer, use an override.", "कुछ सेकंड का आदेश 1 से 60 सेकंड का होता है: ज़्यादा देर के लिए “अपने हाथ में लें” चुनें", "काही सेकंदांचा आदेश १ ते ६० सेकंदांचा असतो: जास्त वेळासाठी “आपल्या हाती घ्या” निवडा" }
    CommandReplaced { "A newer command replaced it before it was done", "पूरा होने से पहले नए आदेश ने इसकी जगह ले ली", "पूर्ण होण्याआधी नव्या आदेशाने याची जागा घेतली" }
    PageOutOfRange { "There is no such page", "ऐसा कोई पन्ना नहीं है", "असे पान नाही" }
    TimeReversed { "The time ends before it begins", "समय की समाप्ति शुरुआत से पहले है", "वेळेचा शेवट सुरुवातीच्या आधी आहे" }
    DurationTooShort { "The duration must be at least 1 minute", "कम से कम 1 मिनट हो", "कालावधी किमान १ मिनिट असावा" }
    DurationTooLong { "Your role allows at most 60 minutes", "आपकी भूमिका में ज़्यादा से ज़्यादा 60 मिनट की अनुमति है", "तुमच्या भूमिकेला जास्तीत जास्त ६० मिनिटांची परवानगी आहे" }
    WeatherNoLocation { "The farm has no location and no outside sensors", "फ़ार्म का स्थान दर्ज नहीं है और बाहर के सेंसर नहीं हैं", "शेताचे ठिकाण नोंदलेले नाही आणि बाहेरचे सेन्सर नाहीत" }
    WeatherUnreachable { "The weather service cannot be reached and there are no outside sensors", "मौसम सेवा तक पहुँच नहीं हो पा रही है और बाहर के सेंसर नहीं हैं", "हवामान सेवेशी संपर्क होत नाही आणि बाहेरचे सेन्सर नाहीत" }
    WeatherOff { "No weather service is configured and there are no outside sensors", "कोई मौसम सेवा तय नहीं है और बाहर के सेंसर नहीं हैं", "कोणतीही हवामान सेवा निश्चित केलेली नाही आणि बाहेरचे सेन्सर नाहीत" }
    InvalidOtp { "Invalid OTP", "OTP सही नहीं है", "OTP चुकीचा आहे" }
    OtpIncomplete { "Please enter the complete 6-digit OTP", "कृपया पूरा 6 अंकों का OTP डालें", "कृपया पूर्ण ६ अंकी OTP टाका" }
    InvalidOrExpiredCode { "Invalid or expired code", "कोड ग़लत है या उसका समय बीत चुका है", "कोड चुकीचा आहे किंवा त्याची मुदत संपली आहे" }
    CodeSentIfKnown { "If the email exists, we sent a code.", "यदि यह ईमेल दर्ज है, तो हमने कोड भेज दिया है।", "हा ईमेल नोंदलेला असल्यास, आम्ही कोड पाठवला आहे." }
    ContactInvalid { "This is neither an email address nor a mobile number", "यह न ईमेल पता है, न मोबाइल नंबर", "हा ईमेल पत्ता नाही आणि मोबाइल नंबरही नाही" }
    NameRequired { "Full name is required", "पूरा नाम ज़रूरी है", "पूर्ण नाव आवश्यक आहे" }
    NameTooShort { "Name must be at least 2 characters", "नाम कम से कम 2 अक्षरों का हो", "नाव किमान २ अक्षरांचे असावे" }
    EmailRequired { "Email is required", "ईमेल ज़रूरी है", "ईमेल आवश्यक आहे" }
    EmailInvalid { "Invalid email format", "ईमेल का रूप सही नहीं है", "ईमेलचे स्वरूप योग्य नाही" }
    MobileInvalid { "Invalid mobile number format", "मोबाइल नंबर का रूप सही नहीं है", "मोबाइल नंबरचे स्वरूप योग्य नाही" }
    PasswordTooShort { "Password must be at least 8 characters", "पासवर्ड कम से कम 8 अक्षरों का हो", "पासवर्ड किमान ८ अक्षरांचा असावा" }
    PasswordTooLong { "The password is too long", "पासवर्ड बहुत लंबा है", "पासवर्ड खूप लांब आहे" }
    PasswordGuessable {
        "This password is one of the first that others would try. Please choose another one.",
        "यह पासवर्ड आसानी से बूझा जा सकता है। कृपया दूसरा चुनें।",
        "हा पासवर्ड सहज ओळखता येतो. कृपया दुसरा निवडा."
    }
    PasswordWrong { "The current password is not right", "मौजूदा पासवर्ड सही नहीं है", "सध्याचा पासवर्ड बरोबर नाही" }
    AddressTooLong { "The address is too long", "पता बहुत लंबा है", "पत्ता खूप लांब आहे" }
    LocationInvalid { "The location is not valid", "यह स्थान सही नहीं है", "हे ठिकाण योग्य नाही" }
    RegistrationFailed { "Registration failed", "खाता नहीं बन सका", "खाते तयार होऊ शकले नाही" }
    RoleRequired { "Role is required", "भूमिका ज़रूरी है", "भूमिका आवश्यक आहे" }
    LanguageRequired { "Language preference is required", "भाषा चुनना ज़रूरी है", "भाषा निवडणे आवश्यक आहे" }
    CodeNeeded { "Sign in with a code first, then set the password within 10 minutes", "पहले कोड से लॉगिन करें, फिर 10 मिनट के भीतर पासवर्ड बदलें", "आधी कोडने लॉगिन करा, मग १० मिनिटांत पासवर्ड ठेवा" }
    ConfirmNeeded { "Confirm first that it is you, by your password or a code", "पहले पासवर्ड या कोड से पुष्टि करें कि यह आप ही हैं", "हे तुम्हीच आहात याची आधी पासवर्ड किंवा कोडने खात्री करा" }
    NoGateway { "No gateway is set for this: whoever runs the server sets it", "इसके लिए कोई गेटवे नहीं जोड़ा गया है: सर्वर चलाने वाले इसे जोड़ते हैं", "यासाठी गेटवे जोडलेला नाही: सर्व्हर चालवणारे तो जोडतात" }
    BeyondToken { "This token does not allow this", "इस टोकन में इसकी अनुमति नहीं है", "या टोकनला याची परवानगी नाही" }
    TooManyTokens { "You have 20 tokens already. Remove one that is no longer needed.", "आपके पास पहले से 20 टोकन हैं। जिसकी ज़रूरत नहीं, उसे हटाएँ।", "तुमच्याकडे आधीच २० टोकन आहेत. ज्याची गरज नाही ते हटवा." }
    TokenNameRequired { "Say what the token is for", "बताएँ कि टोकन किसलिए है", "टोकन कशासाठी आहे ते सांगा" }
    TokenNameTooLong { "At most 80 characters", "ज़्यादा से ज़्यादा 80 अक्षर", "जास्तीत जास्त ८० अक्षरे" }
    IntegrationNameRequired { "Say what reads here", "बताएँ कि यहाँ से कौन पढ़ेगा", "इथून कोण वाचणार ते सांगा" }
    TokenScopeRequired { "Choose what the token may do: READ or CONTROL", "चुनें कि टोकन क्या कर सकता है: READ या CONTROL", "टोकन काय करू शकते ते निवडा: READ किंवा CONTROL" }
    TokenFarms { "Choose at least one of your farms", "अपना कम से कम एक फ़ार्म चुनें", "तुमचे किमान एक शेत निवडा" }
    TokenExpiry { "The end must lie within the next five years", "आख़िरी तारीख़ अगले पाँच साल के भीतर होनी चाहिए", "शेवटची तारीख पुढील पाच वर्षांच्या आत असावी" }
    PushAddress { "This is no address of a push service", "यह किसी पुश सेवा का पता नहीं है", "हा पुश सेवेचा पत्ता नाही" }
    PushService { "The server does not send to the push service of this browser: whoever runs the server can add it", "सर्वर इस ब्राउज़र की पुश सेवा को नहीं भेजता: सर्वर चलाने वाले इसे जोड़ सकते हैं", "सर्व्हर या ब्राउझरच्या पुश सेवेला पाठवत नाही: सर्व्हर चालवणारे ती जोडू शकतात" }
    PushKeys { "This is no key of a browser", "यह किसी ब्राउज़र की कुंजी नहीं है", "ही ब्राउझरची किल्ली नाही" }
    NoBrowser { "First switch on messages on a phone or computer, in your profile", "पहले अपनी प्रोफ़ाइल में किसी फ़ोन या कंप्यूटर पर संदेश चालू करें", "आधी तुमच्या प्रोफाइलमध्ये एखाद्या फोनवर किंवा संगणकावर संदेश चालू करा" }
    ContactUnverified { "Verify your contact in your profile first", "पहले अपनी प्रोफ़ाइल में अपने संपर्क की पुष्टि करें", "आधी तुमच्या प्रोफाइलमध्ये संपर्काची खात्री करा" }
    ContactTaken { "This contact belongs to another account. Sign in with it.", "यह संपर्क किसी दूसरे खाते का है। उसी से लॉगिन करें।", "हा संपर्क दुसऱ्या खात्याचा आहे. त्यानेच लॉगिन करा." }
    InviteGone { "This invite is no longer valid", "यह न्योता अब मान्य नहीं है", "हे आमंत्रण आता चालत नाही" }
    SignInToAccept { "This contact has an account. Sign in with it to accept the invite.", "इस संपर्क का खाता पहले से है। न्योता स्वीकार करने के लिए उससे लॉगिन करें।", "या संपर्काचे खाते आधीच आहे. आमंत्रण स्वीकारण्यासाठी त्याने लॉगिन करा." }
    LastOwner { "The farm needs at least one active owner", "फ़ार्म का कम से कम एक सक्रिय मालिक होना ज़रूरी है", "शेताचा किमान एक सक्रिय मालक असणे आवश्यक आहे" }
    OwnerStays { "Owners cannot be deleted", "मालिक को हटाया नहीं जा सकता", "मालकाला हटवता येत नाही" }
    BelongsElsewhere { "This person also belongs to another farm and changes these details themselves", "यह व्यक्ति किसी और फ़ार्म से भी जुड़ा है और ये विवरण ख़ुद बदलता है", "ही व्यक्ती दुसऱ्या शेताशीही जोडलेली आहे आणि हे तपशील स्वतः बदलते" }
    AlreadyMember { "This person already belongs to the farm", "यह व्यक्ति पहले से इस फ़ार्म से जुड़ा है", "ही व्यक्ती आधीच या शेताशी जोडलेली आहे" }
    InviteInstead { "This contact cannot be added here. Send an invite instead.", "यह संपर्क यहाँ जोड़ा नहीं जा सकता। इसकी जगह न्योता भेजें।", "हा संपर्क इथे जोडता येत नाही. त्याऐवजी आमंत्रण पाठवा." }
    StrayCharacters { "This text has characters that cannot be shown", "इसमें ऐसे अक्षर हैं जो दिखाए नहीं जा सकते", "या मजकुरात दाखवता न येणारी चिन्हे आहेत" }
    TitleRequired { "Title is required", "काम का नाम लिखना ज़रूरी है", "कामाचे नाव लिहिणे आवश्यक आहे" }
    TitleTooLong { "The title can have at most 200 characters", "काम का नाम ज़्यादा से ज़्यादा 200 अक्षरों का हो", "कामाचे नाव जास्तीत जास्त २०० अक्षरांचे असावे" }
    DescriptionTooLong { "The description can have at most 4000 characters", "ब्योरा ज़्यादा से ज़्यादा 4000 अक्षरों का हो", "तपशील जास्तीत जास्त ४००० अक्षरांचा असावा" }
    CategoryTooLong { "The category can have at most 60 characters", "काम का प्रकार ज़्यादा से ज़्यादा 60 अक्षरों का हो", "प्रकार जास्तीत जास्त ६० अक्षरांचा असावा" }
    DueDateRequired { "Due date is required", "तारीख़ चुनना ज़रूरी है", "तारीख निवडणे आवश्यक आहे" }
    DueDateInvalid { "This is not a date from 2000 to 2100", "यह 2000 से 2100 के बीच की तारीख़ नहीं है", "ही २००० ते २१०० मधील तारीख नाही" }
    AssigneeUnknown { "This person is not an active member of the farm", "यह व्यक्ति फ़ार्म का सक्रिय सदस्य नहीं है", "ही व्यक्ती शेताची सक्रिय सदस्य नाही" }
    PriorityInvalid { "Choose a priority: urgent, high, medium or low", "प्राथमिकता चुनें: तुरंत, ज़रूरी, सामान्य या बाद में", "प्राधान्य निवडा: तातडीचे, महत्त्वाचे, साधारण किंवा सवडीने" }
    TaskStatusInvalid { "Choose a status: open, in progress, in review or closed", "स्थिति चुनें: करना है, चल रहा है, जाँच में या पूरा हुआ", "स्थिती निवडा: करायचे, सुरू आहे, तपासणीत किंवा पूर्ण" }
    TooManyTasks { "The farm cannot have more tasks. Delete closed ones first.", "फ़ार्म में और काम नहीं जोड़े जा सकते। पहले पूरे हो चुके काम हटाएँ।", "शेतात आणखी कामे जोडता येत नाहीत. आधी पूर्ण झालेली कामे हटवा." }
    PlaceNameRequired { "Name is required", "नाम ज़रूरी है", "नाव आवश्यक आहे" }
    NameTaken { "This name is taken", "यह नाम पहले से है", "हे नाव आधीच वापरात आहे" }
    CapacityTooLong { "The capacity can have at most 60 characters", "क्षमता ज़्यादा से ज़्यादा 60 अक्षरों की हो", "क्षमता जास्तीत जास्त ६० अक्षरांची असावी" }
    CapacityOutOfRange { "The capacity must be more than 0 and at most 100 crore litres", "क्षमता 0 लीटर से अधिक और सौ करोड़ लीटर तक हो", "क्षमता ० लिटरपेक्षा जास्त आणि शंभर कोटी लिटरपर्यंत असावी" }
    RefillOutOfRange { "The last refill cannot be in the future", "टंकी भरने की तारीख़ आगे की नहीं हो सकती", "टाकी भरल्याची तारीख पुढची असू शकत नाही" }
    PlaceUnknown { "There is no such place in the farm", "फ़ार्म में ऐसी कोई जगह नहीं है", "शेतात असे कोणतेही ठिकाण नाही" }
    TooManyPlaces { "No more can be added", "और नहीं जोड़े जा सकते", "आणखी जोडता येत नाहीत" }
    InUse { "This cannot be deleted: something is in it or refers to it. Move or delete that first.", "इसे हटाया नहीं जा सकता: इसमें कुछ है या कुछ इससे जुड़ा है। पहले उसे दूसरी जगह ले जाएँ या हटाएँ।", "हे हटवता येत नाही: यात काहीतरी आहे किंवा काहीतरी याच्याशी जोडलेले आहे. आधी ते हलवा किंवा हटवा." }
    Hazardous { "This rule would do damage, so it was not deployed. An owner can deploy it all the same.", "इस नियम से नुकसान होगा, इसलिए लागू नहीं किया गया। मालिक चाहें तो फिर भी लागू कर सकते हैं।", "या नियमाने नुकसान होईल, म्हणून लागू केला नाही. मालक तरीही लागू करू शकतात." }
    HazardFlood { "Nothing switches it off again", "इसे बंद करने वाला कुछ नहीं है", "हे बंद करणारे काहीच नाही" }
    HazardDosing { "It doses without rests", "यह बिना रुके डोज़ देता रहेगा", "हे न थांबता डोस देत राहील" }
    HazardCircle { "These switch each other on and off again and again", "ये एक-दूसरे को बार-बार चालू-बंद करेंगे", "हे एकमेकांना पुन्हा पुन्हा चालू-बंद करतील" }
    UsedBySensor { "Sensor", "सेंसर", "सेन्सर" }
    UsedByDevice { "Device", "उपकरण", "उपकरण" }
    NeededByDevice { "Needed by device", "इसकी ज़रूरत है उपकरण को", "याची गरज असलेले उपकरण" }
    UsedByRule { "Rule", "नियम", "नियम" }
    UsedByAlert { "Alert", "चेतावनी", "इशारा" }
    UsedBySetpoint { "Setpoint", "लक्ष्य", "लक्ष्य" }
    UsedByController { "Controller", "कंट्रोलर", "कंट्रोलर" }
    TooManyPeople { "The farm cannot have more people", "फ़ार्म में और लोग नहीं जोड़े जा सकते", "शेतात आणखी लोक जोडता येत नाहीत" }
}

/// What is said when the rules have a device again: what they want of it.
pub(crate) fn given_back(language: Language, wanted: Setting) -> String {
    let unit = match wanted {
        Setting::FlowRate(_) => match language {
            Language::En => " ml/s",
            Language::Hi => " मिली/सेकंड",
            Language::Mr => " मिली/सेकंद",
        },
        _ => "%",
    };
    let on = match language {
        Language::En => "On",
        Language::Hi | Language::Mr => "चालू",
    };
    let off = match language {
        Language::En => "Off",
        Language::Hi | Language::Mr => "बंद",
    };
    let what = match (wanted.is_on(), wanted) {
        (false, _) => off.to_owned(),
        (true, Setting::Speed(v) | Setting::Position(v) | Setting::FlowRate(v)) => {
            format!("{on} ({}{unit})", language.digits(&v.to_string()))
        }
        (true, _) => on.to_owned(),
    };
    match language {
        Language::En => format!("Given back. {what}, as the rules want."),
        Language::Hi => format!("ऑटो पर छोड़ दिया। नियमों के अनुसार: {what}।"),
        Language::Mr => format!("ऑटोवर सोडले. नियमांनुसार: {what}."),
    }
}

/// The message that carries a code.
pub(crate) fn code_message(language: Language, code: &str) -> String {
    match language {
        Language::En => {
            format!(
                "{code} is your Harit code. It is valid for 5 minutes. Do not share it with anyone."
            )
        }
        Language::Hi => format!("आपका हरित कोड {code} है। यह 5 मिनट तक चलेगा। इसे किसी को न बताएँ।"),
        Language::Mr => format!("तुमचा हरित कोड {code} आहे. तो ५ मिनिटे चालेल. तो कोणालाही सांगू नका."),
    }
}

/// The subject of the mail that carries a code; the code is not in it.
pub(crate) const fn code_subject(language: Language) -> &'static str {
    match language {
        Language::En => "Your Harit code",
        Language::Hi => "आपका हरित कोड",
        Language::Mr => "तुमचा हरित कोड",
    }
}

/// The subject of the mail that tells a contact that it is an account's no longer.
pub(crate) const fn contact_gone_subject(language: Language) -> &'static str {
    match language {
        Language::En => "Your Harit account was changed",
        Language::Hi => "आपका हरित खाता बदला गया",
        Language::Mr => "तुमचे हरित खाते बदलले",
    }
}

/// The subject of the mail that carries an invite.
pub(crate) fn invite_subject(language: Language, farm: &str) -> String {
    match language {
        Language::En => format!("Invitation to {farm} on Harit"),
        Language::Hi => format!("हरित पर {farm} से जुड़ने का न्योता"),
        Language::Mr => format!("हरितवर {farm} मध्ये येण्याचे आमंत्रण"),
    }
}

/// The message that tells a contact that it is an account's no longer.
pub(crate) fn contact_gone_message(language: Language, contact: &str) -> String {
    match language {
        Language::En => format!(
            "{contact} is no longer a way to sign in to your Harit account. If you did not want this, tell the owner of your farm at once."
        ),
        Language::Hi => format!(
            "{contact} से अब आपके हरित खाते में लॉगिन नहीं होगा। यदि यह आपने नहीं चाहा, तो तुरंत अपने फ़ार्म के मालिक को बताएँ।"
        ),
        Language::Mr => format!(
            "{contact} वरून आता तुमच्या हरित खात्यात लॉगिन होणार नाही. हे तुम्ही केले नसेल तर लगेच तुमच्या शेताच्या मालकाला सांगा."
        ),
    }
}

/// The message that carries an invite.
pub(crate) fn invite_message(language: Language, inviter: &str, farm: &str, link: &str) -> String {
    match language {
        Language::En => {
            format!("{inviter} invites you to {farm} on Harit: {link} (valid for 7 days)")
        }
        Language::Hi => {
            format!("{inviter} ने आपको हरित पर {farm} से जुड़ने का न्योता दिया है: {link} (7 दिन तक चलेगा)")
        }
        Language::Mr => format!(
            "{inviter} यांनी तुम्हाला हरितवर {farm} मध्ये येण्याचे आमंत्रण दिले आहे: {link} (७ दिवस चालेल)"
        ),
    }
}

/// The name of a farm whose owner has not named it.
pub(crate) fn farm_of(language: Language, owner: &str) -> String {
    match language {
        Language::En => format!("{owner}'s farm"),
        Language::Hi => format!("{owner} का फ़ार्म"),
        Language::Mr => format!("{owner} यांचे शेत"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_language_of_the_highest_weight_is_taken() {
        for (header, language) in [
            ("hi", Language::Hi),
            ("mr-IN,mr;q=0.9,en;q=0.8", Language::Mr),
            ("de, hi;q=0.3, en;q=0.7", Language::En),
            ("fr", Language::En),
            ("hi;q=0, mr;q=0.1", Language::Mr),
            ("hi;q=x", Language::En),
            ("", Language::En),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, header.parse().expect("a header"));
            assert_eq!(Language::of(&headers), language, "{header}");
        }
        assert_eq!(Language::of(&HeaderMap::new()), Language::En);
    }

    #[test]
    fn texts_of_the_specification_are_literal() {
        assert_eq!(
            Text::ContactRequired.say(Language::En),
            "Email or mobile number is required"
        );
        assert_eq!(
            Text::MacInvalid.say(Language::En),
            "Invalid MAC ID format (e.g., AA:BB:CC:DD:EE:FF or AABBCCDDEEFF)"
        );
        assert_ne!(
            Text::LoginFailed.say(Language::Hi),
            Text::LoginFailed.say(Language::Mr)
        );
    }
}
